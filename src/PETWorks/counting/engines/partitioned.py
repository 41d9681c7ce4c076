"""Tables counted out of core or in a cluster, whose classes are loaded into memory part by part."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from PETWorks.counting.codes import (
    Column,
    CountedDomain,
    Domain,
    add_label,
    fingerprint_of,
    indices_among,
    narrowest_type,
    placeholder_labels,
    sorted_labels,
)
from PETWorks.counting.counts import ClassPairs, Grouping, Integers, Marginal, PairCounts, run_starts
from PETWorks.counting.keys import Field
from PETWorks.counting.memory.distinct_rows import PackedRows, layout_fields, merge_keys
from PETWorks.counting.memory.weighted_rows import WeightedRows, mask_set_aside
from PETWorks.counting.people import (
    NOT_IN_RELEASE,
    KeyCounts,
    TableToJoin,
    check_values,
    column_name,
    number_of_words,
)
from PETWorks.counting.questions import Merge, Question
from PETWorks.counting.stacked import Columns
from PETWorks.counting.subsets.subset_counts import CountsBySubset, Family, Worths, leads, merge_counts
from PETWorks.errors import Hint, InputError
from PETWorks.tables.arrays import strings

WORD_BITS = 63


@dataclass(frozen=True)
class BitField:
    """The position of a column's code in the words: the word, the shift from its lowest bit, and the number of bits."""

    word: int
    shift: int
    bits: int

    @property
    def mask(self) -> int:
        """A mask of all bits of a code."""
        return (1 << self.bits) - 1


@dataclass(frozen=True)
class WordLayout:
    """A layout that packs the codes of columns into words of `WORD_BITS` bits."""

    fields: Mapping[str, BitField]

    @classmethod
    def of(cls, bits: Mapping[str, int]) -> "WordLayout":
        """Lay out columns in this order, from the number of bits that each needs."""
        fields: dict[str, BitField] = {}
        word, left = 0, WORD_BITS
        for name, needed in bits.items():
            if needed > left:
                word, left = word + 1, WORD_BITS
            left -= needed
            fields[name] = BitField(word, left, needed)
        return cls(fields)

    @property
    def number(self) -> int:
        """The number of words."""
        return max((field.word for field in self.fields.values()), default=0) + 1

    def packed(self, codes: Mapping[str, NDArray[np.integer]], rows: int) -> list[Integers]:
        """Pack the codes of rows into words."""
        words = [np.zeros(rows, np.int64) for _ in range(self.number)]
        for name, field in self.fields.items():
            words[field.word] |= codes[name].astype(np.int64) << field.shift
        return words

    def code(self, column: str, words: Sequence[Integers]) -> Integers:
        """Extract the codes of a column."""
        field = self.fields[column]
        codes: Integers = words[field.word] >> field.shift & field.mask
        return codes

    def codes(self, words: Sequence[Integers]) -> dict[str, Integers]:
        """Extract the codes of each column."""
        return {name: self.code(name, words) for name in self.fields}

    def expressions(self, coarser: "WordLayout") -> list[str]:
        """SQL expressions that compute the words of a coarser layout from the words `k0`, `k1`… of this one."""
        terms: list[list[str]] = [[] for _ in range(coarser.number)]
        for name, new_field in coarser.fields.items():
            field = self.fields[name]
            if new_field.bits:
                shifted = f"(k{field.word} >> {field.shift}) & {field.mask}"
                terms[new_field.word].append(f"({shifted}) * CAST({1 << new_field.shift} AS BIGINT)")
        return [" + ".join(term) or "CAST(0 AS BIGINT)" for term in terms]

    def masks(self, columns: int) -> list[int]:
        """The bits that the first columns occupy, in each word that they reach."""
        masks: dict[int, int] = {}
        for field in list(self.fields.values())[:columns]:
            masks[field.word] = masks.get(field.word, 0) | field.mask << field.shift
        return list(masks.values()) or [0]


def scramble(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits of each number, so that sums and remainders of similar numbers differ."""
    product = numbers * np.uint64(0x9E3779B97F4A7C15)
    return product ^ product >> np.uint64(29)


def class_starts(words: Sequence[Integers], masks: Sequence[int]) -> Integers:
    """The indices where a new class begins in sorted words; the masks select the bits that define classes."""
    starts = [run_starts(word & mask) for word, mask in zip(words, masks, strict=False)]
    return starts[0] if len(starts) == 1 else np.unique(np.concatenate(starts))


Summary = TypeVar("Summary")
ALL_BITS = (1 << 64) - 1


class Part(NamedTuple):
    """Some of the cells, in order: their words, and the number of rows (or people) in each."""

    words: list[Integers]
    numbers: list[Integers]


def rows_of(words: WordLayout, domains: Mapping[str, Domain], part: Part) -> WeightedRows:
    """A part of the cells as rows in memory."""
    columns = {
        name: Column(
            domains[name].labels, words.code(name, part.words).astype(narrowest_type(len(domains[name].labels)))
        )
        for name in words.fields
    }
    weights, *people = part.numbers
    return WeightedRows(columns, None, weights, people[0] if people else None, whole=False)


def answer_questions(
    words: WordLayout,
    domains: Mapping[str, Domain],
    questions: Sequence[Callable[[WeightedRows, None], Any]],
    part: Part,
) -> list[Any]:
    """The answers of a part of the table, one per question."""
    rows = rows_of(words, domains, part)
    return [question(rows, None) for question in questions]


def count_pairs_in_part(
    words: WordLayout, domains: Mapping[str, Domain], pairs: Sequence[tuple[str, str]], part: Part
) -> list[PairCounts]:
    """Count the pairs of values that pairs of columns have in a part."""
    return rows_of(words, domains, part).pair_counts(pairs)


def count_classes_in_part(masks: Sequence[int], part: Part) -> int:
    """The number of classes; the masks select the bits that define them."""
    return len(class_starts(part.words, masks))


def pack_cells(words: WordLayout, placed: Mapping[str, NDArray[np.uint64]], part: Part) -> list[NDArray[np.uint64]]:
    """Cells as keys that carry their counts in the lowest bits.

    placed   for each column the term that each code adds to a key
    """
    keys = part.numbers[0].astype(np.uint64)
    for name, terms in placed.items():
        keys += terms[words.code(name, part.words)]
    return [keys]


def recode_cells(words: WordLayout, new_codes: Mapping[str, Integers], part: Part) -> list[list[Any]]:
    """Cells as new codes of some columns, followed by their counts."""
    recoded = (codes.astype(np.uint32)[words.code(name, part.words)] for name, codes in new_codes.items())
    return [[*recoded, part.numbers[0]]]


def merge_answers(merges: Sequence[Callable[[Any, Any], Any]], first: list[Any], second: list[Any]) -> list[Any]:
    """Merge the answers of two parts, question by question."""
    return [merge(answer, more) for merge, answer, more in zip(merges, first, second, strict=True)]


def count_families(
    words: WordLayout,
    bits: Mapping[str, int],
    families: Sequence[Family],
    sensitive: Sequence[str],
    sizes: Sequence[int],
    worths: Worths,
    part: Part,
) -> CountsBySubset:
    """Count families of subsets in the rows of a part, which are sorted by the lead."""
    from PETWorks.counting.subsets.subset_counts import CodedRows, chunks, count_family, count_small, is_small

    if part.numbers[0].max() >= 1 << 32:
        raise InputError("more than four billion records are equal in all columns, too many to count their subsets")
    fields = {
        name: Field(words.code(name, part.words).astype(narrowest_type(1 << bits[name])), bits[name])
        for name in words.fields
    }
    rows = CodedRows(fields, part.numbers[0].astype(np.uint32))
    subsets = [subset for family in families for subset in family.subsets(sizes)]
    if is_small(int(part.numbers[0].sum()), len(subsets)):
        return count_small(rows, subsets, sensitive, worths)
    counted: CountsBySubset = {}
    for family in families:
        total = None
        for chunk in chunks(rows, next(iter(words.fields))):
            total = merge_counts(total, count_family(chunk, family, sensitive, sizes, worths))
        counted |= total or {}
    return counted


def cells_checksum(part: Part) -> int:
    """A checksum of the cells that does not depend on their order."""
    sums = part.numbers[0].astype(np.uint64)
    for word in part.words:
        sums = scramble(sums ^ word.astype(np.uint64))
    return int(sums.sum(dtype=np.uint64))


def sum_counts(part: Part) -> int:
    """The sum of all counts."""
    return int(part.numbers[0].sum())


def count_codes(words: WordLayout, column: str, size: int, part: Part) -> Integers:
    """The count of each code of a column."""
    counts = np.zeros(size, np.int64)
    np.add.at(counts, words.code(column, part.words), part.numbers[0])
    return counts


def fold_class_pairs(
    words: WordLayout,
    domains: Mapping[str, Domain],
    grouping: Grouping,
    kernel: Callable[[ClassPairs], Summary],
    part: Part,
) -> Summary:
    """Run a kernel over the classes of a table and a background table, without classes that are set aside.

    Of the background, only incomplete classes are set aside.
    """
    known = [words.code(name, part.words) for name in grouping.known]
    counts = []
    for numbers, suppressed_apart in zip(part.numbers, (grouping.suppressed_apart, False), strict=True):
        own_grouping = Grouping(grouping.columns, grouping.known, suppressed_apart, grouping.incomplete_apart)
        out = mask_set_aside(own_grouping, domains, lambda: known)
        counts.append(numbers if out is None else np.where(out, 0, numbers))
    present = (counts[0] > 0) | (counts[1] > 0)
    return kernel(ClassPairs(counts[0][present], counts[1][present]))


ExcludedCodes = tuple[str, list[int]]


class CellCounts(Protocol):
    """Counts of rows by their codes, kept by an engine."""

    words: WordLayout

    def run(self, task: Callable[[Part], Summary], merge: Merge[Summary], classes: int) -> Summary:
        """Run a task on parts and merge the answers.

        classes   the number of first columns whose classes must be complete in each part, at least one
        """

    def regroup(self, words: WordLayout) -> Any:
        """Add the counts up by some of the columns."""

    def with_people(self, classes: Any) -> Any:
        """These cells with a second number: the count of their class, defined by the first columns, in `classes`."""

    def beside(self, other: Any) -> Any:
        """All cells of both, which have the same columns, with the counts of each; 0 for a cell it lacks."""

    def drop(self) -> None:
        """Free the cells."""


class Store(Protocol):
    """The rows of a table as codes, kept by an engine."""

    def count(
        self,
        words: WordLayout,
        recoded: Mapping[str, Integers],
        *,
        per_person: bool,
        without: ExcludedCodes | None = None,
    ) -> Any:
        """Count rows, or people, by the columns of the words; `recoded[column][code]` replaces a code.

        without   when people are counted, rows with these codes of a column do not count
        """

    def people(self) -> int:
        """The number of different people."""

    def unit_is_missing(self) -> bool:
        """Whether the person of some row is missing."""

    def key_counts(self) -> KeyCounts:
        """Count records and people by the unit."""

    def pairs_in_order(self, column: str, store: Any) -> PairCounts:
        """Count the pairs of codes of a column here and in the same row of another store."""

    def stack(self, others: Sequence[Any], columns: Columns) -> Any:
        """A store with the rows of this one and of others; each column says how its codes are made."""


class PartitionedTable:
    """A table whose rows are kept by an engine; see `Table` for its methods.

    recoded      for columns that have been generalised, the new code of each code in the store
    per_person   the columns by which people are counted instead of rows: each person once for each combination
    without      codes of a column in the store: rows that have one of them do not count
    """

    def __init__(
        self,
        store: Store,
        columns: Mapping[str, CountedDomain],
        rows: int,
        unit: str | None = None,
        recoded: Mapping[str, Integers] | None = None,
        per_person: tuple[str, ...] | None = None,
        without: ExcludedCodes | None = None,
    ) -> None:
        self.store, self.columns, self.unit = store, columns, unit
        self.domains: Mapping[str, Domain] = columns
        self._recoded = dict(recoded or {})
        self._per_person, self._without = per_person, without
        self._counted: dict[tuple[str, ...], CellCounts] = {}
        self._with_people: dict[tuple[str, ...], CellCounts] = {}
        self.rows = rows if per_person is None else self.cells(per_person).run(sum_counts, int.__add__, len(per_person))

    def marginal(self, column: str) -> Marginal:
        """The values of a column and their counts."""
        known = self.columns[column]
        if self._per_person is None:
            return Marginal(known.values, known.counts)
        cells = self.cells(self._per_person)
        task = partial(count_codes, cells.words, column, len(known.labels))
        return Marginal(known.values, cells.run(task, np.add, len(self._per_person)))

    def generalise(self, levels: Mapping[str, Mapping[str | None, str | None]]) -> "PartitionedTable":
        """The table with the values of the named columns replaced by these mappings."""
        columns, recoded = dict(self.columns), dict(self._recoded)
        for name, mapping in levels.items():
            columns[name], new_codes = columns[name].recode(mapping)
            recoded[name] = new_codes[recoded[name]] if name in recoded else new_codes
        return PartitionedTable(self.store, columns, self.rows, self.unit, recoded)

    def people(self) -> int:
        """The number of different people."""
        return self.store.people()

    def unit_is_missing(self) -> bool:
        """Whether the person of some record is missing."""
        return self.store.unit_is_missing()

    def per_person(self, columns: Sequence[str], required: str | None = None) -> "PartitionedTable":
        """The table with one record for each person and combination of values of these columns.

        required   a column; records where it is missing do not count
        """
        known = {name: self.columns[name] for name in columns}
        without = None if required is None else self._missing(required)
        return PartitionedTable(self.store, known, self.rows, None, self._recoded, tuple(columns), without)

    def _missing(self, column: str) -> ExcludedCodes | None:
        """The codes in the store that stand for a missing value of a column, if there are any."""
        missing = self.columns[column].code(None)
        if missing is None:
            return None
        codes = self.in_store(column, np.arange(len(self.columns[column].labels)))
        return column, np.flatnonzero(codes == missing).tolist()

    def in_store(self, column: str, codes: Integers) -> Integers:
        """Rearrange an array indexed by the codes of a column to be indexed by its codes in the store."""
        return codes[self._recoded[column]] if column in self._recoded else codes

    def distinct(self, columns: Sequence[str] | None = None) -> WeightedRows:
        """The records in memory, with equal rows merged."""
        names = self.columns if columns is None else columns
        return self.distinct_rows({name: sorted_labels(self.columns[name].labels)[0] for name in names})

    def number_of_distinct(self, columns: Sequence[str]) -> int:
        """The number of combinations of values of these columns."""
        cells = self.cells(tuple(columns))
        masks = cells.words.masks(len(columns))
        return cells.run(partial(count_classes_in_part, masks), int.__add__, len(columns))

    def distinct_rows(self, labels: Mapping[str, Any]) -> WeightedRows:
        """The records by some columns, in memory, with equal rows merged; codes are indices into these labels."""
        cells = self.cells(tuple(labels))
        known, new_codes = {}, {}
        for name, own_labels in labels.items():
            new_codes[name] = indices_among(self.columns[name].labels, own_labels)
            counts = np.zeros(len(own_labels), np.int64)
            counts[new_codes[name]] = self.marginal(name).counts
            known[name] = CountedDomain(own_labels, counts)
        weight_bits = self.rows.bit_length()
        fields = layout_fields({name: domain.bits for name, domain in known.items()}, weight_bits)
        if fields is None:
            task = partial(recode_cells, cells.words, new_codes)
            parts = cells.run(task, list.__add__, len(labels))
            codes, weights = parts[0][:-1], parts[0][-1]
            if len(parts) > 1:
                *codes, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            columns = {name: Column(labels[name], column) for name, column in zip(labels, codes, strict=True)}
            return WeightedRows(columns, None, weights, whole=False).distinct()
        placed = {name: new_codes[name].astype(np.uint64) << np.uint64(fields[name].shift) for name in labels}
        carried = np.concatenate(cells.run(partial(pack_cells, cells.words, placed), list.__add__, len(labels)))
        return PackedRows(known, fields, *merge_keys(carried, np.empty_like(carried), weight_bits), None, weight_bits)

    def ask(self, questions: Sequence[Question[Any]]) -> list[Any]:
        """Answer questions about classes, with one pass for all that need the same cells."""
        answers: dict[int, Any] = {}
        groups: dict[int, tuple[CellCounts, list[int]]] = {}
        # Questions that need more columns come first, because their cells also serve those that need the first of them.
        for index in sorted(range(len(questions)), key=lambda index: -len(questions[index].columns)):
            question = questions[index]
            cells = self._count(question.columns) if question.once else self._cells_for(question)
            groups.setdefault(id(cells), (cells, []))[1].append(index)
        for cells, indices in groups.values():
            asked = [questions[index] for index in indices]
            domains = {name: Domain(self.columns[name].labels) for name in cells.words.fields}
            merged = cells.run(
                partial(answer_questions, cells.words, domains, [question.of_part for question in asked]),
                partial(merge_answers, [question.merge for question in asked]),
                min(len(question.grouping.columns) for question in asked),
            )
            answers |= zip(indices, merged, strict=True)
            if asked[0].once:
                cells.drop()
        return [answers[index] for index in range(len(questions))]

    def _cells_for(self, question: Question[Any]) -> CellCounts:
        names = question.columns
        cells = self.cells(names)
        if question.people is None:
            return cells
        if names not in self._with_people:
            self._with_people[names] = cells.with_people(question.people.cells(question.grouping.columns))
        return self._with_people[names]

    def fold_pairs(
        self,
        grouping: Grouping,
        background: "PartitionedTable",
        kernel: Callable[[ClassPairs], Summary],
        merge: Merge[Summary],
    ) -> Summary:
        """Run a kernel over the classes of this table and of another one of the same engine."""
        domains, recoded = {}, dict(background._recoded)
        for name in grouping.columns:
            released, known_there = self.columns[name], background.columns[name]
            codes = {value: code for code, value in enumerate(dict.fromkeys([*released.values, *known_there.values]))}
            new_codes = np.array([codes[value] for value in known_there.values], np.int64)
            recoded[name] = new_codes[recoded[name]] if name in recoded else new_codes
            domains[name] = Domain(strings(list(codes)))
        words = WordLayout.of({name: domain.bits for name, domain in domains.items()})
        here = self.store.count(words, self._recoded, per_person=self._per_person is not None)
        known = background.store.count(words, recoded, per_person=background._per_person is not None)
        both: CellCounts = here.beside(known)
        try:
            return both.run(partial(fold_class_pairs, words, domains, grouping, kernel), merge, len(grouping.columns))
        finally:
            for cells in (both, here, known):
                cells.drop()

    def pair_counts(self, pairs: Sequence[tuple[str, str]]) -> list[PairCounts]:
        """Count the pairs of values of each pair of columns."""
        names = tuple(name for name in self.columns if any(name in pair for pair in pairs))
        domains = {name: Domain(self.columns[name].labels) for name in names}
        cells = self.cells(names)
        return cells.run(
            partial(count_pairs_in_part, cells.words, domains, tuple(pairs)),
            lambda first, second: [counts.merge(more) for counts, more in zip(first, second, strict=True)],
            len(names),
        )

    def pair_in_order(self, column: str, other: "PartitionedTable") -> PairCounts:
        """Count the pairs of values of a column here and in the same row of another table of the same engine."""
        pairs = self.store.pairs_in_order(column, other.store)
        if column not in self._recoded and column not in other._recoded:
            return pairs
        codes_here, codes_there = (
            table.in_store(column, np.arange(len(table.columns[column].labels)))[codes]
            for table, codes in ((self, pairs.first), (other, pairs.second))
        )
        return PairCounts(codes_here, codes_there, pairs.counts).merge(
            PairCounts(codes_here[:0], codes_there[:0], pairs.counts[:0])
        )

    def stack(self, others: Sequence["PartitionedTable"], columns: Columns) -> "PartitionedTable":
        """Return this table with others of the same engine below it; each column says how its codes are made."""
        tables = (self, *others)
        in_stores = {
            name: replace(
                column,
                new_codes=tuple(
                    table.in_store(column.source, codes) for table, codes in zip(tables, column.new_codes, strict=True)
                ),
            )
            for name, column in columns.items()
        }
        store = self.store.stack([table.store for table in others], in_stores)
        known = {name: column.known for name, column in columns.items()}
        return PartitionedTable(store, known, sum(table.rows for table in tables))

    def count_subsets(
        self,
        known: Sequence[str],
        sensitive: Sequence[str],
        sizes: Sequence[int],
        memory: int,
        finished: Callable[[frozenset[str]], bool],
        worths: Worths | None = None,
        only: Collection[frozenset[str]] | None = None,
    ) -> Iterator[CountsBySubset]:
        """Count all subsets of the known columns of the given sizes, one lead at a time."""
        from PETWorks.counting.subsets.subset_counts import rows_that_fit

        self.cells((*known, *sensitive))  # all other cells are counted from these
        for lead, later, families in leads(self.columns, known, sizes, finished, only):
            names = (lead, *later, *sensitive)
            values = {name: len(self.columns[name].labels) for name in names}
            most = min(int(self.columns[lead].counts.max()), prod(values[name] for name in names[1:]))
            if most > rows_that_fit([narrowest_type(number)().itemsize for number in values.values()], memory):
                raise InputError(
                    "column {column!r}: up to {most:,} rows have the same value, more than fit into "
                    "{memory:.1f} GB; allow more memory",
                    Hint.MEMORY_LIMIT,
                    column=lead,
                    most=most,
                    memory=memory / 1e9,
                )
            cells = self._count(names)
            bits = {name: self.columns[name].bits for name in names}
            try:
                task = partial(count_families, cells.words, bits, families, sensitive, sizes, worths or {})
                yield cells.run(task, merge_counts, 1)
            finally:
                cells.drop()

    def fingerprint(self, columns: Sequence[str]) -> str:
        """A fingerprint of these columns of the table."""
        cells = self._counted.get(tuple(columns)) or self._count(tuple(columns))
        checksum = cells.run(cells_checksum, lambda first, second: first + second & ALL_BITS, len(columns))
        return f"{fingerprint_of(self.columns, columns)}-{checksum:016x}"

    def cells(self, names: tuple[str, ...]) -> CellCounts:
        """Counts by these columns, and perhaps by further ones after them."""
        names = self._per_person or names
        for counted, cells in self._counted.items():
            if counted[: len(names)] == names:
                return cells
        self._counted[names] = self._count(names)
        return self._counted[names]

    def _count(self, names: tuple[str, ...]) -> CellCounts:
        words = WordLayout.of({name: self.columns[name].bits for name in names})
        for counted, finer in self._counted.items():
            if self._per_person is None and set(names) <= set(counted):
                coarser: CellCounts = finer.regroup(words)
                return coarser
        per_person = self._per_person is not None
        cells: CellCounts = self.store.count(words, self._recoded, per_person=per_person, without=self._without)
        return cells


def joined_columns(tables: Sequence[TableToJoin]) -> dict[str, Any]:
    """The labels of each column of each table; the first label stands for people who are not in the table."""
    return {
        column_name(table.name, name): add_label(table.table.columns[name].labels, NOT_IN_RELEASE, first=True)
        for table in tables
        for name in table.known
    }


class JoinedTables:
    """Tables of an engine joined by person; see `JoinedPeople`."""

    def __init__(self, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]) -> None:
        check_values(numbers_of_values)
        self._tables, self._focal, self._numbers_of_values = tables, focal, numbers_of_values
        self.groups = [tuple(column_name(table.name, name) for name in table.known) for table in tables]

    @cached_property
    def targets(self) -> PartitionedTable:
        """The targets by the columns of the tables."""
        return _joined_table(self._store_targets(), self._tables, self._focal, self._numbers_of_values)

    def _store_targets(self) -> Store:
        raise NotImplementedError

    @property
    def columns(self) -> PartitionedTable:
        """The targets by the columns of the tables: `targets` has no other columns."""
        return self.targets

    def _index_and_blocks(self, attribute: str) -> tuple[int, int]:
        """The index of a sensitive attribute, and the number of words that its values need."""
        index = list(self._numbers_of_values).index(attribute)
        return index, number_of_words(self._numbers_of_values[attribute])


def _joined_table(
    store: Store, tables: Sequence[TableToJoin], focal: int, numbers_of_values: Mapping[str, int]
) -> PartitionedTable:
    """The targets as a table, from a store that has their rows: the columns of all tables, and their own values."""
    labels = joined_columns(tables) | {name: placeholder_labels(number) for name, number in numbers_of_values.items()}
    columns = {
        name: CountedDomain(own_labels, np.zeros(len(own_labels), np.int64)) for name, own_labels in labels.items()
    }
    table = PartitionedTable(store, columns, tables[focal].table.rows)
    cells = table.cells(tuple(labels))
    sizes = {name: len(own_labels) for name, own_labels in labels.items()}
    counts = cells.run(partial(_counts, cells.words, sizes), _add_counts, len(tables[0].known))
    table.columns = {name: CountedDomain(own_labels, counts[name]) for name, own_labels in labels.items()}
    table.domains = table.columns
    return table


def _counts(words: WordLayout, sizes: Mapping[str, int], part: Part) -> dict[str, Integers]:
    return {name: count_codes(words, name, size, part) for name, size in sizes.items()}


def _add_counts(first: dict[str, Integers], second: dict[str, Integers]) -> dict[str, Integers]:
    return {name: counts + second[name] for name, counts in first.items()}
