"""Turns paths, folders and standard input into sources, each with the files that belong to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import nsmallest
from pathlib import Path

from tablegate.findings import NAMED, NO_INPUT, Fault, FaultCode, Skipped
from tablegate.inputs.files import (
    FLAGS,
    NO_LINK,
    UnreadableError,
    content_or_reason,
    identity_of,
    name_of,
    read_file,
    read_part,
    read_stdin,
    read_stream,
    reason_of,
)
from tablegate.inputs.terraform import RootModules, is_source
from tablegate.inputs.walk import Ignores, Walk, Walked, is_passed_over
from tablegate.model.record import record, replace
from tablegate.model.value import Place
from tablegate.syntax.recognise import (
    PROGRAM,
    UNSYNTHESISED,
    Fragment,
    assembly_of,
    fragment_of,
    is_whole,
    unrendered_of,
)
from tablegate.syntax.relevance import (
    MANIFEST,
    MAX_EMBEDDED,
    TEMPLATES_OF_ASSEMBLY,
    Sniffed,
    embedded_files,
    is_manifest,
    is_terraform_plan,
    looks_relevant,
    sniffed,
)
from tablegate.syntax.source import ALONE, Beside, Source

STDIN = "-"
STDIN_NAME = "<stdin>"

# Why files of a folder are skipped.
IGNORED = "excluded by an ignore file"
SILENT = "no mention of DynamoDB or IAM"
UNFILLED = "made for a template engine"

_LEADS_OUT = "give what it leads to as an INPUT too, and exclude the link in .tablegateignore"
_PROGRESS_EVERY = 100  # files
_ENDINGS = (".json", ".yaml", ".yml", ".template", ".cfn", ".txt", ".tfstate")
# Of files for template engines: what is found in them as it is, is checked.
_OF_ENGINES = (
    ".ejs",
    ".erb",
    ".gotmpl",
    ".hbs",
    ".j2",
    ".jinja",
    ".jinja2",
    ".liquid",
    ".mustache",
    ".njk",
    ".tftpl",
    ".tmpl",
    ".tpl",
)
_ENDINGS_IN_ASSEMBLY = (".json", ".yaml", ".yml")
_PROGRAM = os.sep + PROGRAM
_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # what a shell passes for <(command)


@record(kw_only=False)
class Collected:
    """The sources, the faults, and the files of folders that are skipped, by the reason."""

    sources: tuple[Source, ...]
    faults: tuple[Fault, ...]
    skipped: tuple[Skipped, ...] = ()


def collect(
    paths: Iterable[str],
    stdin_filename: str | None = None,
    *,
    trust_modules: bool = False,
    use_ignore_files: bool = True,
    tell: Callable[[int], object] | None = None,
) -> Collected:
    """Read every path: a file as it is, the inputs in a folder, or standard input for ``-``.

    A folder of Terraform source is one input, and so are the named files of one folder. ``tell`` is called now and
    then with the number of files that were looked at.
    """
    collector = _Collector(
        stdin_filename or STDIN_NAME, trust_modules=trust_modules, use_ignore_files=use_ignore_files, tell=tell
    )
    for path in dict.fromkeys(paths):
        collector.add(path)
    return collector.collected()


def sources_of_texts(texts: Iterable[Source]) -> tuple[Source, ...]:
    """Texts that a program has, as sources. Nothing is read beside them; Terraform's are one module a folder."""
    roots = RootModules(_nothing, trust_modules=False, names=lambda _folder: [])
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
    """Collects sources. Each file is read once, also if it has several names."""

    def __init__(
        self, stdin_name: str, *, trust_modules: bool, use_ignore_files: bool, tell: Callable[[int], object] | None
    ) -> None:
        self._stdin_name = stdin_name
        self._use_ignore_files = use_ignore_files
        self._tell = tell
        self._looked_at = 0
        self._modules = RootModules(read_part, trust_modules=trust_modules)
        self._sources: dict[str, Source] = {}
        self._faults: list[Fault] = []
        self._skipped: dict[str, str] = {}  # reasons by name
        self._seen: set[tuple[int, int]] = set()
        self._assemblies = 0  # in folders
        self._bundled: set[str] = set()  # files of assemblies
        self._programs: dict[str, str] = {}  # CDK programs, and where their manifests would be
        self._fragments = 0  # files that declare tables, but cannot be checked
        self._recognised = 0  # paths that are inputs, or have some
        self._without: list[tuple[str, str]] = []  # folders without any, and what there is instead

    def collected(self) -> Collected:
        """Everything, sorted by name."""
        roots, irrelevant = self._modules.sources()
        self._sources |= {root.name: root for root in roots}
        self._skipped |= dict.fromkeys(irrelevant, SILENT)
        for folder, message in self._without:
            self._refuse(folder, message, blocks=not self._recognised)
        for program, manifest in self._programs.items():
            if identity_of(manifest) not in self._seen:
                self._warn(program, UNSYNTHESISED)
        self._join_plans()
        return Collected(
            tuple(self._sources[name] for name in sorted(self._sources)),
            tuple(sorted(self._faults, key=lambda fault: (fault.place.file, fault.message))),
            tuple(self._skipped_by_reason()),
        )

    def _join_plans(self) -> None:
        """Make the source that lies beside the only plan of a folder part of it: both are one root."""
        plans: dict[str, list[Source]] = {}
        for name, source in self._sources.items():
            if source.folder is None and is_terraform_plan(source.data):
                plans.setdefault(name.rpartition("/")[0] or ".", []).append(source)
        for folder, (plan, *others) in plans.items():
            root = self._sources.get(folder)
            if root is not None and root.folder is not None and not others:
                self._sources[plan.name] = replace(plan, twin=root)
                del self._sources[folder]

    def _skipped_by_reason(self) -> Iterator[Skipped]:
        by_reason: dict[str, list[str]] = {}
        for name, reason in self._skipped.items():
            if name not in self._sources:
                by_reason.setdefault(reason, []).append(name)
        for reason, names in sorted(by_reason.items()):
            yield Skipped(reason, len(names), tuple(nsmallest(NAMED, names)))

    def add(self, path: str) -> None:
        """A path that the user named. A file is read with any name and content."""
        try:
            if path == STDIN:
                self._sources[self._stdin_name] = Source(self._stdin_name, read_stdin())
            elif path.startswith(_DESCRIPTORS):
                with open(path, "rb") as stream:
                    self._sources[path] = Source(path, read_stream(stream))
            elif os.path.isdir(path or os.curdir):
                self._add_folder(path)
                return
            elif is_source(os.path.basename(path)):
                self._modules.add_file(Source(name_of(path), read_file(path, FLAGS)[1]))
            else:
                self._add_file(path, FLAGS, named=True)
            self._recognised += 1
        except (OSError, ValueError, UnreadableError) as error:
            self._refuse(path, reason_of(error, path))

    def _add_folder(self, root: str) -> None:
        top = root.rstrip("/" + os.sep) or root[:1] or os.curdir
        faults, assemblies = len(self._faults), self._assemblies
        sources = len(self._sources)
        inner = Path(top).resolve()
        walked = self._walked(top, inner)
        self._skipped |= {name_of(path): IGNORED for path in walked.ignored}
        links = {path: FLAGS for path in walked.links if self._leads_to_input(path, inner)}
        flags = {**dict.fromkeys(walked.files, FLAGS | NO_LINK), **links}
        source = [path for path in sorted(flags) if is_source(os.path.basename(path))]
        others = sorted(flags.keys() - {*source})
        taken = [self._try_file(path, flags[path]) for path in others if path in links or not self._is_read(path)]
        taken += [False] * (len(walked.links) - len(links))
        taken += [self._add_modules({path: flags[path] for path in source}, name_of(top))] if source else []
        if not any(taken) and (len(self._faults), self._assemblies) == (faults, assemblies):
            self._without.append((root, _no_input(len(taken), len(walked.ignored))))
            return
        self._recognised += any(taken) or self._assemblies > assemblies
        if self._fragments and not source and sources == len(self._sources):
            self._refuse(root, "nothing in this folder can be checked, although it declares tables")
        templates = (path for path in walked.files if path.endswith(".template.json") and not self._is_read(path))
        if any(os.path.dirname(path) == top for path in templates):
            self._refuse(root, "templates of a CDK assembly without its manifest.json", blocks=False)

    def _walked(self, top: str, inner: Path) -> Walked:
        """What is in a folder, and behind its links to folders that are otherwise passed over."""
        all_of_it = Walked(files=(), links=(), ignored=())
        waiting, entered = [top], {inner}

        def add(folder: str) -> None:
            self._add_assembly(folder, found=folder != top)

        while waiting:
            folder = waiting.pop()
            walked = Walk(folder, _is_candidate, self._refuse_error, self._ignores(folder), add).walked()
            for path in walked.links:
                target = _passed_over(path, inner)
                if target is not None and target not in entered:
                    entered.add(target)
                    waiting.append(path)
            all_of_it = Walked(
                files=(*all_of_it.files, *walked.files),
                links=(*all_of_it.links, *walked.links),
                ignored=(*all_of_it.ignored, *walked.ignored),
            )
        return all_of_it

    def _add_assembly(self, folder: str, *, found: bool) -> None:
        """Add the folder if it is a CDK assembly, and no part of another one. Its source is named like its manifest."""
        path = os.path.join(folder, MANIFEST)
        name = name_of(path)
        if name in self._bundled:
            return
        try:
            identity, data = read_file(path, FLAGS | NO_LINK)
        except (OSError, UnreadableError):
            return
        if not is_manifest(data):
            return
        self._assemblies += 1
        if identity not in self._seen:
            self._seen.add(identity)
            self._add_source(Source(name, data, beside=Bundle().of_assembly(folder), found=found))

    def _add_source(self, source: Source) -> None:
        self._sources[source.name] = source
        if source.name.rpartition("/")[2] == MANIFEST and is_manifest(source.data):
            self._bundled |= source.beside.files.keys()

    def _is_read(self, path: str) -> bool:
        """Whether a file is read with its assembly. No other file of the folder is."""
        return path.endswith((os.sep + MANIFEST, *TEMPLATES_OF_ASSEMBLY)) and name_of(path) in self._bundled

    def _add_modules(self, paths: Mapping[str, int], named: str) -> bool:
        """Folders of Terraform source, each with all of its files, which are opened with these flags.

        ``named`` is the folder that the user named: if it has source itself, that is not merely found.
        """
        folders: dict[str, list[Source]] = {}
        for path, flags in paths.items():
            try:
                source = Source(name_of(path), read_file(path, flags)[1])
            except (OSError, UnreadableError) as error:
                self._refuse(path, reason_of(error, path))
            else:
                folders.setdefault(source.name.rpartition("/")[0], []).append(source)
        for folder, sources in folders.items():
            self._modules.add_folder(folder, sources, found=(folder or ".") != named)
        return bool(folders)

    def _ignores(self, root: str) -> Ignores | None:
        if not self._use_ignore_files:
            return None
        return Ignores.of(root, self._ignore_file, lambda path, message: self._refuse(path, message, blocks=False))

    def _ignore_file(self, path: str) -> bytes | None:
        try:
            return read_file(path, FLAGS | NO_LINK)[1]
        except FileNotFoundError:
            return None
        except (OSError, UnreadableError) as error:
            reason = "a link" if os.path.islink(path) else reason_of(error, path)
            self._refuse(path, f"{reason}, so it excludes nothing", blocks=False)
            return None

    def _leads_to_input(self, path: str, root: Path) -> bool:
        """Whether a link in a folder leads to a file of the folder that may be an input. No link is followed out of it.

        A file behind a link that leads out is left out, and may be what is deployed: a file or a whole folder.
        """
        is_candidate = _is_candidate(os.path.basename(path))
        try:
            target = Path(path).resolve(strict=True)
        except (OSError, RuntimeError):
            if is_candidate:
                self._refuse(path, "a broken or circular link")
            return False
        if not target.is_relative_to(root):
            if is_candidate or target.is_dir():
                self._refuse(path, "a link out of the folder, which is not followed", hint=_LEADS_OUT)
            return False
        return is_candidate and not target.is_dir()

    def _try_file(self, path: str, flags: int) -> bool:
        """Whether the file is a source, now or already."""
        self._looked_at += 1
        if self._tell is not None and self._looked_at % _PROGRESS_EVERY == 0:
            self._tell(self._looked_at)
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
        kind = Sniffed.READ if named else sniffed(data)
        if kind is not Sniffed.READ:
            if name in self._bundled:
                return False
            self._skipped[name] = SILENT if kind is Sniffed.SILENT else NO_INPUT
            return kind is Sniffed.SILENT
        is_unfilled = not named and name.lower().endswith(_OF_ENGINES) and not is_whole(Source(name, data))
        if not named and (is_unfilled or not looks_relevant(data, name)):
            if name in self._bundled:  # such as the tree of constructs
                return False
            self._skipped[name] = UNFILLED if is_unfilled else NO_INPUT
            self._note_fragment(name, unrendered_of(data) if is_unfilled else fragment_of(data))
            return False
        self._seen.add(identity)
        self._add_source(Source(name, data, beside=_beside(path, data), found=not named))
        return True

    def _note_fragment(self, name: str, fragment: Fragment | None) -> None:
        """Warn if a file that is not read declares tables."""
        if fragment is not None:
            self._fragments += 1
            self._warn(name, fragment)

    def _note_program(self, path: str, data: bytes) -> None:
        """Remember where a CDK program has its assembly, which may be collected later."""
        assembly = assembly_of(data)
        if assembly is not None:
            self._programs[name_of(path)] = os.path.join(os.path.dirname(path), assembly, MANIFEST)

    def _warn(self, name: str, fragment: Fragment) -> None:
        self._faults.append(Fault(FaultCode.INCOMPLETE, fragment.what, Place(name), blocks=False, hint=fragment.hint))

    def _refuse_error(self, path: str, error: OSError) -> None:
        self._refuse(path, reason_of(error, path))

    def _refuse(self, path: str, message: str, *, blocks: bool = True, hint: str | None = None) -> None:
        self._faults.append(Fault(FaultCode.UNREADABLE, message, Place(name_of(path)), blocks, hint))


def _passed_over(path: str, root: Path) -> Path | None:
    """The folder that a link leads to, if it is in the root and no walk enters it under its own name."""
    try:
        target = Path(path).resolve(strict=True)
    except (OSError, RuntimeError):
        return None
    parts = target.relative_to(root).parts if target.is_relative_to(root) and target.is_dir() else ()
    return target if any(map(is_passed_over, parts)) else None


def _is_candidate(name: str) -> bool:
    return name.lower().endswith((*_ENDINGS, *_OF_ENGINES)) or is_source(name)


def _no_input(candidates: int, ignored: int) -> str:
    files = f" ({candidates} candidate {'file' if candidates == 1 else 'files'})" if candidates else ""
    excluded = f"; ignore files exclude {ignored}" if ignored else ""
    return f"found no Terraform plan or source, template or CDK assembly in this folder{files}{excluded}"


def _beside(path: str, data: bytes) -> Beside:
    """The files that belong to a source: the rest of its assembly, or the templates that it embeds, and theirs."""
    if os.path.basename(path) == MANIFEST and is_manifest(data):
        return Bundle().of_assembly(os.path.dirname(path) or os.curdir)
    mentions = embedded_files(data)
    return Bundle().of_embedded(path, mentions) if mentions else ALONE


class Bundle:
    """Gathers files that belong together, by their names in reports."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._refused: dict[str, str] = {}

    def of_assembly(self, folder: str) -> Beside:
        """The manifests, templates and metadata of an assembly and of those within it. No link is followed."""
        waiting = [folder]
        while waiting:
            with os.scandir(waiting.pop()) as entries:
                for entry in sorted(entries, key=lambda entry: entry.name):
                    if entry.name.startswith("asset."):
                        continue
                    if entry.is_symlink():
                        self._refused[name_of(entry.path)] = "a link, which is not followed in an assembly"
                    elif entry.is_dir():
                        waiting += [entry.path] if os.path.isfile(os.path.join(entry.path, MANIFEST)) else []
                    elif entry.name.endswith(_ENDINGS_IN_ASSEMBLY):
                        self._add(entry.path)
        return Beside(self._files, self._refused)

    def of_embedded(self, path: str, mentions: Iterable[str]) -> Beside:
        """The templates that a template embeds, and those that they embed, if they are inside the root."""
        root = _root(path)
        waiting = [(path, name) for name in mentions]
        while waiting and len(self._files) < MAX_EMBEDDED:
            parent, mention = waiting.pop(0)
            child = os.path.normpath(Path(parent).parent / mention)
            name = name_of(child)
            if name in self._files or not os.path.isfile(child):  # False for what is no path
                continue
            if not Path(child).resolve().is_relative_to(root):
                self._refused[name] = "it is outside the folder that is checked"
                continue
            self._add(child)
            waiting += [(child, inner) for inner in embedded_files(self._files.get(name, b""))]
        return Beside(self._files, self._refused)

    def _add(self, path: str) -> None:
        content = content_or_reason(path)
        if isinstance(content, bytes):
            self._files[name_of(path)] = content
        else:
            self._refused[name_of(path)] = content


def _root(path: str) -> Path:
    """The folder that embedded templates must be in: the working directory, or the template's own folder."""
    here, folder = Path.cwd().resolve(), Path(path).resolve().parent
    return here if folder.is_relative_to(here) else folder
