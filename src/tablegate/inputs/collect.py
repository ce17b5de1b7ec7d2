"""Paths, folders, stdin into sources; files that belong together."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest

from tablegate.findings import NAMED, NO_INPUT, Fault, FaultCode, Skipped
from tablegate.inputs.files import (
    FLAGS,
    NO_LINK,
    UnreadableError,
    content_of,
    drained,
    identity_of,
    name_of,
    read_file,
    read_part,
    read_stdin,
    reason_of,
)
from tablegate.inputs.terraform import Roots, is_source
from tablegate.inputs.walk import Ignores, Walk
from tablegate.model.record import record
from tablegate.model.value import Place
from tablegate.syntax.recognise import PROGRAM, UNSYNTHESISED, Fragment, assembly_of, fragment_of
from tablegate.syntax.relevance import MANIFEST, MOST, Sniffed, is_manifest, looks_relevant, mentioned, sniffed
from tablegate.syntax.source import ALONE, Beside, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


_ENDINGS = (".json", ".yaml", ".yml")

Take = Callable[[str], bytes | str]
"""Gives the content of a file, or why it is not read."""


class Bundle:
    """Gathers files, each under the name that reports give it."""

    def __init__(self, take: Take, name: Callable[[str], str]) -> None:
        self._take = take
        self._name = name
        self._files: dict[str, bytes] = {}
        self._refused: dict[str, str] = {}

    def of_assembly(self, folder: str) -> Beside:
        """The manifests, templates and notes of an assembly and of those within it. No link in it is followed."""
        waiting = [folder]
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.name.startswith("asset."):
                        continue
                    if entry.is_symlink():
                        self._refused[self._name(entry.path)] = "a link, which is not followed in an assembly"
                    elif entry.is_dir():
                        waiting += [entry.path] if os.path.isfile(os.path.join(entry.path, MANIFEST)) else []
                    elif entry.name.endswith(_ENDINGS):
                        self._add(entry.path)
        return Beside(self._files, self._refused)

    def of_embedded(self, path: str, data: bytes) -> Beside:
        """The templates that a template embeds, and those that they embed, as long as they stay inside."""
        from pathlib import Path

        root = _root(path)
        waiting = [(path, name) for name in mentioned(data)]
        while waiting and len(self._files) < MOST:
            holder, mention = waiting.pop(0)
            child = os.path.normpath(Path(holder).parent / mention)
            name = self._name(child)
            if name in self._files or not Path(child).is_file():
                continue
            if not Path(child).resolve().is_relative_to(root):
                self._refused[name] = "it is outside the folder that is checked"
                continue
            self._add(child)
            waiting += [(child, inner) for inner in mentioned(self._files.get(name, b""))]
        return Beside(self._files, self._refused)

    def _add(self, path: str) -> None:
        taken = self._take(path)
        if isinstance(taken, bytes):
            self._files[self._name(path)] = taken
        else:
            self._refused[self._name(path)] = taken


def _root(path: str) -> Path:
    """What an embedded template may not leave: the working directory, or the template's folder."""
    from pathlib import Path

    here, folder = Path.cwd().resolve(), Path(path).resolve().parent
    return here if folder.is_relative_to(here) else folder


STDIN = "-"
STDIN_NAME = "<stdin>"
OFTEN = 100  # files between two words on how many were met

NOTHING_FOUND = "found no Terraform plan or source, template or CDK assembly in this folder"
# Why files of a folder are skipped.
IGNORED = "excluded by an ignore file"
SILENT = "no mention of DynamoDB or IAM"

_ENDINGS_sources = (".json", ".yaml", ".yml", ".template", ".cfn", ".txt", ".tfstate")
_PROGRAM = os.sep + PROGRAM
_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # what a shell puts for <(command)


@record(kw_only=False)
class Collected:
    """What was found: the sources, what went wrong, and the files of folders that are not judged, and why."""

    sources: tuple[Source, ...]
    faults: tuple[Fault, ...]
    skipped: tuple[Skipped, ...] = ()


def collect(
    paths: Iterable[str],
    stdin_filename: str | None = None,
    *,
    trust_modules: bool = False,
    ignoring: bool = True,
    tell: Callable[[int], object] | None = None,
) -> Collected:
    """Read every path: a file as it is, a folder for all that is judged in it, ``-`` for standard input.

    A folder of Terraform source is one input, and so are the files of one folder that are named. In folders,
    what ignore files leave out is not looked at, unless they are not to be followed. ``tell`` hears now and then how
    many files were met.
    """
    collector = _Collector(stdin_filename or STDIN_NAME, trust_modules=trust_modules, ignoring=ignoring, tell=tell)
    for path in dict.fromkeys(paths):
        collector.add(path)
    return collector.collected()


def sources_of_texts(texts: Iterable[Source]) -> tuple[Source, ...]:
    """Texts that a program has, as sources. Nothing is read beside them; Terraform's are one module a folder."""
    roots = Roots(_nothing, trust_modules=False, names=lambda _folder: [])
    sources = []
    for text in texts:
        if is_source(os.path.basename(text.name)):
            roots.add_file(text)
        else:
            sources.append(text)
    return (*sources, *roots.sources()[0])


def _nothing(path: str) -> bytes:
    raise FileNotFoundError(path)


class _Collector:
    """What has been found so far; every file once, by whatever names it came."""

    def __init__(
        self, stdin_name: str, *, trust_modules: bool, ignoring: bool, tell: Callable[[int], object] | None
    ) -> None:
        self._stdin_name = stdin_name
        self._ignoring = ignoring
        self._tell = tell
        self._met = 0
        self._roots = Roots(read_part, trust_modules=trust_modules)
        self._sources: dict[str, Source] = {}
        self._faults: list[Fault] = []
        self._skipped: dict[str, str] = {}  # names, and why
        self._seen: set[tuple[int, int]] = set()
        self._assemblies = 0  # met in folders
        self._programs: dict[str, str] = {}  # of CDK, and where the manifest of each would be
        self._fragments = 0  # files that declare tables, and cannot be judged

    def collected(self) -> Collected:
        """Everything, sorted by name."""
        roots, left = self._roots.sources()
        self._sources |= {root.name: root for root in roots}
        self._skipped |= dict.fromkeys(left, SILENT)
        for program, manifest in self._programs.items():
            if identity_of(manifest) not in self._seen:
                self._tell_of(program, UNSYNTHESISED)
        return Collected(
            tuple(self._sources[name] for name in sorted(self._sources)),
            tuple(sorted(self._faults, key=lambda fault: (fault.place.file, fault.message))),
            tuple(self._told()),
        )

    def _told(self) -> Iterator[Skipped]:
        """The files that are not judged, by the reason."""
        whys: dict[str, list[str]] = {}
        for name, why in self._skipped.items():
            if name not in self._sources:
                whys.setdefault(why, []).append(name)
        for why in sorted(whys):
            yield Skipped(why, len(whys[why]), tuple(nsmallest(NAMED, whys[why])))

    def add(self, path: str) -> None:
        """One path as the user named it: it is judged, whatever its name and its content."""
        try:
            if path == STDIN:
                self._sources[self._stdin_name] = Source(self._stdin_name, read_stdin())
            elif path.startswith(_DESCRIPTORS):
                with open(path, "rb") as stream:
                    self._sources[path] = Source(path, drained(stream))
            elif os.path.isdir(path or os.curdir):
                self._add_folder(path)
            elif is_source(os.path.basename(path)):
                self._roots.add_file(Source(name_of(path), read_file(path, FLAGS)[1]))
            else:
                self._add_file(path, FLAGS, named=True)
        except (OSError, ValueError, UnreadableError) as error:
            self._refuse(path, reason_of(error, path))

    def _add_folder(self, root: str) -> None:
        if self._try_assembly(root):
            return
        top = root.rstrip("/" + os.sep) or root[:1] or os.curdir
        faults, assemblies = len(self._faults), self._assemblies
        before = len(self._sources)
        walked = Walk(top, _is_wanted, self._refuse_error, self._ignores(top), self._met_assembly).walked()
        self._skipped |= {name_of(path): IGNORED for path in walked.left_out}
        source = [path for path in walked.files if is_source(os.path.basename(path))]
        judged = [self._try_file(path, FLAGS | NO_LINK) for path in sorted({*walked.files} - {*source})]
        judged += [self._add_link(path, top) for path in walked.links]
        judged += [self._add_modules(source)] if source else []
        if not any(judged) and (len(self._faults), self._assemblies) == (faults, assemblies):
            candidates = f" ({len(judged)} candidate {'file' if len(judged) == 1 else 'files'})" if judged else ""
            excluded = f"; ignore files exclude {len(walked.left_out)}" if walked.left_out else ""
            self._refuse(root, f"{NOTHING_FOUND}{candidates}{excluded}")
        elif self._fragments and not source and before == len(self._sources):
            self._refuse(root, "nothing in this folder can be checked, although it declares tables")
        if any(path.endswith(".template.json") and os.path.dirname(path) == top for path in walked.files):
            self._refuse(root, "templates of a CDK assembly without its manifest.json", blocks=False)

    def _try_assembly(self, folder: str) -> bool:
        """Whether the folder is a CDK assembly; then it is one source, named by its manifest."""
        path = os.path.join(folder, MANIFEST)
        try:
            identity, data = read_file(path, FLAGS | NO_LINK)
        except (OSError, UnreadableError):
            return False
        if not is_manifest(data):
            return False
        if identity not in self._seen:
            self._seen.add(identity)
            self._sources[name_of(path)] = Source(
                name_of(path), data, beside=Bundle(content_of, name_of).of_assembly(folder)
            )
        return True

    def _add_modules(self, paths: list[str]) -> bool:
        """Folders of Terraform source, each with all of its files."""
        folders: dict[str, list[Source]] = {}
        for path in paths:
            try:
                read = Source(name_of(path), read_file(path, FLAGS | NO_LINK)[1])
            except (OSError, UnreadableError) as error:
                self._refuse(path, reason_of(error, path))
            else:
                folders.setdefault(read.name.rpartition("/")[0], []).append(read)
        for folder, sources in folders.items():
            self._roots.add_folder(folder, sources)
        return bool(folders)

    def _met_assembly(self, folder: str) -> bool:
        is_one = self._try_assembly(folder)
        self._assemblies += is_one
        return is_one

    def _ignores(self, root: str) -> Ignores | None:
        if not self._ignoring:
            return None
        return Ignores.of(root, self._ignore_file, lambda path, said: self._refuse(path, said, blocks=False))

    def _ignore_file(self, path: str) -> bytes | None:
        try:
            return read_file(path, FLAGS | NO_LINK)[1]
        except FileNotFoundError:
            return None
        except (OSError, UnreadableError) as error:
            why = "a link" if os.path.islink(path) else reason_of(error, path)
            self._refuse(path, f"{why}, so it excludes nothing", blocks=False)
            return None

    def _add_link(self, path: str, root: str) -> bool:
        """A link met in a folder: never followed out of it, and not twice to what is there anyway."""
        from pathlib import Path

        wanted = _is_wanted(os.path.basename(path))
        try:
            target = Path(path).resolve(strict=True)
        except (OSError, RuntimeError):
            if wanted:
                self._refuse(path, "a broken or circular link")
            return False
        if not target.is_relative_to(Path(root).resolve()):
            if wanted or target.is_dir():
                self._refuse(path, "a link out of the folder, which is not followed", blocks=wanted)
            return False
        return wanted and not target.is_dir() and self._try_file(path, FLAGS)

    def _try_file(self, path: str, flags: int) -> bool:
        """Whether the file is judged, now or already."""
        self._met += 1
        if self._tell is not None and self._met % OFTEN == 0:
            self._tell(self._met)
        try:
            return self._add_file(path, flags, named=False)
        except (OSError, UnreadableError) as error:
            self._refuse(path, reason_of(error, path))
            return False

    def _add_file(self, path: str, flags: int, *, named: bool) -> bool:
        identity, data = read_file(path, flags)
        if identity in self._seen:
            return True
        name = name_of(path)
        if not named and path.endswith(_PROGRAM):
            self._note_program(path, data)
        told = Sniffed.READ if named else sniffed(data)
        if told is not Sniffed.READ:
            self._skipped[name] = SILENT if told is Sniffed.SILENT else NO_INPUT
            return told is Sniffed.SILENT
        if not named and not looks_relevant(data, name):
            self._skipped[name] = NO_INPUT
            self._note_fragment(name, data)
            return False
        self._seen.add(identity)
        self._sources[name] = Source(name, data, beside=_beside(path, data))
        return True

    def _note_fragment(self, name: str, data: bytes) -> None:
        """Say of a file that is not read that it declares tables."""
        found = fragment_of(data)
        if found is not None:
            self._fragments += 1
            self._tell_of(name, found)

    def _note_program(self, path: str, data: bytes) -> None:
        """Remember where a CDK program has its assembly, which may be met later."""
        assembly = assembly_of(data)
        if assembly is not None:
            self._programs[name_of(path)] = os.path.join(os.path.dirname(path), assembly, MANIFEST)

    def _tell_of(self, name: str, found: Fragment) -> None:
        self._faults.append(Fault(FaultCode.INCOMPLETE, found.what, Place(name), blocks=False, hint=found.hint))

    def _refuse_error(self, path: str, error: OSError) -> None:
        self._refuse(path, reason_of(error, path))

    def _refuse(self, path: str, message: str, *, blocks: bool = True) -> None:
        self._faults.append(Fault(FaultCode.UNREADABLE, message, Place(name_of(path)), blocks))


def _is_wanted(name: str) -> bool:
    return name.lower().endswith(_ENDINGS_sources) or is_source(name)


def _beside(path: str, data: bytes) -> Beside:
    """What a source leads to: the rest of its assembly, or the templates that it embeds, and theirs."""
    if os.path.basename(path) == MANIFEST and is_manifest(data):
        return Bundle(content_of, name_of).of_assembly(os.path.dirname(path) or os.curdir)
    return Bundle(content_of, name_of).of_embedded(path, data) if mentioned(data) else ALONE
