"""Every text that is to be translated, as Babel's template, and the catalogues of the languages beside it.

python tests/texts.py update            bring every language up to date with the source; see what is left to translate
python tests/texts.py add LANG NAME     begin a language: `add pt_BR Português`

Texts come from the table of texts by id, from errors (`messages.py` parses the source), from the help of all commands,
from click itself, from the comments of new policies, from presets, regimes and the schema of policies, and from the
catalogue of measures. Files of languages name the modules that use a text, but no lines: they would always differ.
"""

import ast
import io
import json
import re
import sys
from pathlib import Path
from string import Formatter

import click
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

import PETWorks
from messages import texts as texts_of_errors
from PETWorks.cli.help import CLICK_MODULES, localise_command, translate_command
from PETWorks.cli.main import EXTRA_ARGUMENTS, main
from PETWorks.gate.policy.accountability import regimes
from PETWorks.gate.policy.policy_rules import presets
from PETWorks.locale import DETAIL, DOMAIN, ENGLISH, FOLDER, LANGUAGES, MEASURE, PARAMETER, POLICY_COMMENT
from PETWorks.measures.attacks.subsets import LIMITS
from PETWorks.measures.catalogue import catalogue as measures
from PETWorks.releases.composition import LIMITS_OF_ATTRIBUTES, LIMITS_OF_PEOPLE
from PETWorks.render.language.texts import DETAILS, SYSTEM_MESSAGES, TEXTS, Homonym, Plural

PACKAGE = Path(PETWorks.__file__).parent
LOCALE = FOLDER
TABLE = "render/language/texts.py"
CLICK = "click"
SAME_EVERYWHERE = {"k", "l", "c", "t", "at_least", "at_most"}  # letters, and those of which only the sign is shown
# Words of click that are for programmers, or for what no command here has: prompts, files to open, dates.
UNUSED = re.compile(
    "deprecated|Deprecation|[Nn]ame|No options defined|Arguments take|iterable|Boolean option|Takes|continue|Confirm|"
    "version %|unknown error|Could not open|Invalid start|file|directory|path|Choice|match the format|boolean|UUID|"
    "len_type|extra"
)
# Others that look like these, those of click 8.1, and a word that click asks for in two steps.
USED = {
    "Missing parameter: {param_name}",
    "No such option {name!r}.",
    "No such command {name!r}.",
    "Option {name!r} requires an argument.",
    "Option {name!r} requires {nargs} arguments.",
    "Option {name!r} does not take a value.",
    "Argument {name!r} takes {nargs} values.",
    "No such option: {name}",
    "(Possible options: {possibilities})",
    "required",
}
VARYING = re.compile('"(Project-Id|Report-Msgid|POT-Creation|PO-Revision|Last-Translator|Language-Team|Generated-By)')


def extract():
    """The template: every text, in the order of the modules."""
    found = {}
    for place, text, context, comment in sorted(_all_texts(), key=lambda one: (one[0], str(one[2] or ""))):
        message = found.setdefault((context, text), ([], []))
        message[0].extend([] if (place, 1) in message[0] else [(place, 1)])
        message[1].extend([] if comment is None or comment in message[1] else [comment])
    template = Catalog(project="PETWorks", fuzzy=False)
    for (context, text), (places, comments) in found.items():
        template.add(text, locations=places, auto_comments=comments, context=context)
    return template


def _all_texts():
    """Each text with the module that has it, its context and a comment for translators; a plural is a pair."""
    yield from _texts_by_id()
    for said in texts_of_errors()[0]:
        if said.template:
            yield said.place.partition(":")[0], said.plural or said.template, None, None
    yield from ((TABLE, text, None, "a message of the operating system") for text in SYSTEM_MESSAGES)
    yield from ((place, text, None, None) for place, text in help_texts())
    yield from ((CLICK, text, None, None) for text in click_texts())
    yield from ((place, text, POLICY_COMMENT, None) for place, text in policy_comments())
    yield from (("gate/presets.yaml", preset.note, None, f"preset {name}") for name, preset in presets().items())
    yield from (("gate/regimes.yaml", regime.note, None, f"regime {name}") for name, regime in regimes().items())
    for entry in (*presets().values(), *regimes().values()):
        yield "gate/presets.yaml", entry.organisation, None, "an organisation"
    for name, measure in measures.items():
        place = measure.function.__module__.removeprefix("PETWorks.").replace(".", "/") + ".py"
        yield place, name, MEASURE, "the name of a measure"
        yield place, measure.summary, None, f"what the measure {name} is"
        for parameter in measure.parameters:
            if parameter not in SAME_EVERYWHERE:
                yield place, parameter, PARAMETER, None
    for limit in (*LIMITS, *LIMITS_OF_PEOPLE, *LIMITS_OF_ATTRIBUTES, "records"):
        yield "measures/attacks/subsets.py", limit, PARAMETER, None
    yield from ((TABLE, name, DETAIL, None) for name in DETAILS)


def _texts_by_id():
    comments = _comments()
    places = _places()
    for name, text in TEXTS.items():
        is_plural = isinstance(text, Plural)
        is_homonym = text.is_homonym if is_plural else isinstance(text, Homonym)
        comment = ": ".join(filter(None, [name, comments.get(name)]))
        for place in places.get(name, [TABLE]):
            yield place, (text.one, text.many) if is_plural else str(text), name if is_homonym else None, comment


def _comments():
    """The comments for translators in the table of texts, by id."""
    lines = (PACKAGE / TABLE).read_text("utf-8")
    return {name: comment for comment, name in re.findall(r'# Translators: (.*)\n\s*"([^"]+)"', lines)}


def _places():
    """The modules and templates in which an id stands as a whole, by id."""
    found = {}
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.html")]):
        place = path.relative_to(PACKAGE).as_posix()
        if place != TABLE:
            for name in set(re.findall(r"""["']>?([a-z][a-zA-Z_ .-]+)["']""", path.read_text("utf-8"))):
                found.setdefault(name, []).append(place)
    return found


def commands(command=None, path=()):
    """Every command with the words by which it is called."""
    command = localise_command(main, ENGLISH) if command is None else command
    yield path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(None):
            yield from commands(command.get_command(None, name), (*path, name))


def help_texts():
    """The help of all commands: paragraphs, descriptions, options and arguments."""
    for path, command in commands():
        seen = {}
        translate_command(command, lambda text: seen.setdefault(text, text))  # noqa: B023 - called here
        yield from ((f"cli/{path[0] if path else 'main'}.py", text) for text in seen)


def click_texts():
    """What click asks gettext for, as far as it can happen here; its plurals are different sentences."""
    for module in CLICK_MODULES:
        for node in ast.walk(ast.parse(Path(module.__file__).read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "ngettext"):
                words = (text.value for text in node.args if isinstance(text, ast.Constant))
                yield from (text for text in words if not UNUSED.search(text))
    yield from (*sorted(USED), *EXTRA_ARGUMENTS)


def policy_comments():
    """The comments of new policies, which are given to a function called `say`."""
    for path in sorted((PACKAGE / "gate").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                text = getattr(node.args[0], "value", None) or constants.get(getattr(node.args[0], "id", ""))
                if isinstance(text, str):
                    yield path.relative_to(PACKAGE).as_posix(), text


def fields(text):
    """The names in the braces of a text."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def forms(message):
    """The texts of a message: one, or that for one thing and that for several."""
    return message.id if isinstance(message.id, tuple) else (message.id,)


def read(path):
    """The catalogue in a file."""
    with Path(path).open("rb") as file:
        return read_po(file, domain=DOMAIN)


def write(catalogue, path):
    """Write a catalogue, with the modules that have a text, but without lines."""
    content = io.BytesIO()
    catalogue.header_comment, catalogue.fuzzy = "#", False
    write_po(content, catalogue, width=120, include_lineno=False)
    kept = (line for line in content.getvalue().decode("utf-8").splitlines(keepends=True) if not VARYING.match(line))
    path.write_text("".join(kept).removeprefix("#\n"), "utf-8")


def path_of(language):
    """The file with the translations of a language."""
    return language.folder / "LC_MESSAGES" / f"{DOMAIN}.po"


def update():
    """Bring the catalogue of each language up to date, and print what is left to translate."""
    template = extract()
    for code, language in LANGUAGES.items():
        if code != ENGLISH:
            translations = read(path_of(language))
            translations.update(template)
            translations.obsolete.clear()
            write(translations, path_of(language))
            for message in translations:
                if message.id and (message.fuzzy or not message.string or not all(message.string)):
                    print(f"{code}: {'check' if message.fuzzy else 'translate'}: {message.id!r}")


def add(code, name):
    """Begin a language: its folder, with an empty translation of every text."""
    folder = LOCALE / code
    (folder / "LC_MESSAGES").mkdir(parents=True)
    (folder / "language.json").write_text(json.dumps({"name": name}, ensure_ascii=False, indent=2) + "\n", "utf-8")
    translations = Catalog(locale=code, project="PETWorks", fuzzy=False)
    translations.update(extract())
    write(translations, folder / "LC_MESSAGES" / f"{DOMAIN}.po")


if __name__ == "__main__":
    {"update": update, "add": add}[sys.argv[1]](*sys.argv[2:])
