"""Search that finds Chinese words, and the language of each page: `name.zh-TW.md` is in Chinese, others in English.

The links to the next and the previous page stay in it.
"""

import re

from sphinx.search import languages
from sphinx.search.en import SearchEnglish

HAN = re.compile(r"[㐀-䶿一-鿿]+")
OTHER = re.compile(r"[^\W㐀-䶿一-鿿]+")
SPLIT = """
function splitQuery(query) {
  const words = query.match(/[\\p{L}\\p{N}_]+/gu) || [];
  return words.flatMap((word) => word.split(/([\\u3400-\\u4dbf\\u4e00-\\u9fff]+)/).filter(Boolean)).flatMap((word) =>
    /[\\u3400-\\u9fff]/.test(word) && word.length > 2
      ? Array.from({ length: word.length - 1 }, (_, place) => word.slice(place, place + 2))
      : [word],
  );
}
"""


class SearchBoth(SearchEnglish):
    """English words, and each pair of neighbouring Chinese characters: Chinese has no spaces between words."""

    js_splitter_code = SPLIT

    def split(self, text):
        """The words to be found."""
        pairs = [run[place : place + 2] for run in HAN.findall(text) for place in range(max(len(run) - 1, 1))]
        return OTHER.findall(text) + pairs

    def word_filter(self, word):
        """A single Chinese character is worth finding, too."""
        return bool(HAN.match(word)) or super().word_filter(word)


def language(page):
    """The language of a page, by its name."""
    return "zh-TW" if page.endswith(".zh-TW") else "en"


def set_language(app, page, _template, context, _doctree):
    """For screen readers, hyphenation and fonts; and the neighbours in the same language."""
    context["language"] = language(page)
    for name, place in (("prev", 1), ("next", 2)):
        context[name] = neighbour(app, page, place)


def neighbour(app, page, place):
    """The link to the nearest page in the same language, or None."""
    relations, other = app.builder.relations, page
    while other in relations and (other := relations[other][place]) and language(other) != language(page):
        pass
    if other in (page, None):
        return None
    title = app.builder.render_partial(app.env.titles[other])["title"]
    return {"link": app.builder.get_relative_uri(page, other), "title": title}


def setup(app):
    languages["en"] = SearchBoth
    app.connect("html-page-context", set_language)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
