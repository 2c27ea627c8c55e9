"""One module of all kernels for a platform: the code of `collect` linked, reduced to its entries and optimized.

Every entry gets a function `int32 f(int64 *words)` that reads its arguments from 64-bit words and writes its result
behind them. Two tables are visible from outside: `cardan_thunks`, the addresses of these functions, and
`cardan_kernels`, those of the kernels themselves, for calls from other kernels. Both hold 0 where an entry is not
called in that way.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from cardan.numerics.compiled.signature import split
from cardan.prebuilt.targets import BITCODE, Target

WORD_TYPES = {"f8": "double", "i8": "i64", "u8": "i64", "b1": "i8", "i4": "i32", "u4": "i32", "B": "i64", "O": "i64"}


MERGED = "merged.bc"  # all modules of a folder as one, before optimization: parsing their text takes longest


def link(folder: Path, entries: list[list[Any]], target: Target) -> Any:
    """The optimized module of all entries, for a 64-bit platform."""
    path = folder / MERGED
    if not path.exists():
        parts = sorted(folder.glob("*.ll"), key=lambda part: int(part.stem))
        texts = (part.read_text() for part in parts)
        merged = link_parts(_thunks(entries), texts, BITCODE, ("cardan_thunks", "cardan_kernels"), optimized=True)
        path.write_bytes(merged.as_bitcode())
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = machine_for(target)
    module = llvm.parse_bitcode(path.read_bytes())
    module.triple, module.data_layout = target.triple, str(machine.target_data)
    _optimize(module, machine)
    return module


def link_parts(
    text: str,
    parts: Iterable[str],
    target: Target,
    visible: Collection[str],
    optimized: bool = False,
    small: bool = False,
) -> Any:
    """The optimized module of a text and the modules that it needs; outside, only the visible variables are known.

    Parts that are `optimized` already stay as they are: only what nothing calls is dropped. `small` code inlines less.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = machine_for(target)
    layout = str(machine.target_data)
    module = parsed(text, target, machine)
    for part_text in parts:
        part = llvm.parse_assembly(_for_target(part_text, target, layout))
        _share_definitions(part)
        module.link_in(part)
    _hide_all_but(module, visible)
    if optimized:
        _drop_unused(module, machine)
    else:
        _optimize(module, machine, small)
    return module


def parsed(text: str, target: Target, machine: Any) -> Any:
    """The module of a text."""
    return llvm.parse_assembly(_header(target, str(machine.target_data)) + text)


def machine_for(target: Target) -> Any:
    """LLVM's code generator for a target."""
    return llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc=target.relocation, codemodel=target.code_model
    )


def emit_object(module: Any, target: Target) -> bytes:
    """Object code of a module."""
    return machine_for(target).emit_object(module)


def _header(target: Target, layout: str) -> str:
    return f'target triple = "{target.triple}"\ntarget datalayout = "{layout}"\n'


def _for_target(text: str, target: Target, layout: str) -> str:
    """The text with the target's layout, which parsing reads alignments from."""
    text = re.sub(r'^target triple = ".*"$', "", text, count=1, flags=re.MULTILINE)
    text = re.sub(r'^target datalayout = ".*"$', "", text, count=1, flags=re.MULTILINE)
    return _header(target, layout) + text


def _thunks(entries: list[list[Any]]) -> str:
    lines: list[str] = []
    declared: set[str] = set()
    thunks, kernels = ["0"] * len(entries), ["0"] * len(entries)
    for k, (_, arguments, _, entered, pointed, symbol) in enumerate(entries):
        words = [word for argument in split(arguments) for word in words_of(argument)]
        if symbol not in declared:
            declared.add(symbol)
            lines.append(f'declare i32 @"{symbol}"({", ".join(["ptr", "ptr", *words])})')
        if pointed:
            kernels[k] = f'ptrtoint (ptr @"{symbol}" to i64)'
        if entered:
            thunks[k] = f"ptrtoint (ptr @thunk{k} to i64)"
            lines += _thunk(k, symbol, words)
    for table, values in (("cardan_thunks", thunks), ("cardan_kernels", kernels)):
        listed = ", ".join(f"i64 {value}" for value in values)
        lines.append(f"@{table} = constant [{len(values)} x i64] [{listed}]")
    return "\n".join(lines) + "\n"


def _thunk(number: int, symbol: str, words: list[str]) -> Iterator[str]:
    """The function that calls a kernel with arguments from words."""
    yield f"define internal i32 @thunk{number}(ptr %words) {{"
    yield f"%result = getelementptr i64, ptr %words, i64 {len(words)}\n%error = alloca ptr"
    for i, word in enumerate(words):
        yield f"%p{i} = getelementptr i64, ptr %words, i64 {i}\n%a{i} = load {word}, ptr %p{i}"
    given = ", ".join(["ptr %result", "ptr %error", *(f"{word} %a{i}" for i, word in enumerate(words))])
    yield f'%status = call i32 @"{symbol}"({given})\nret i32 %status\n}}'


def words_of(kind: str) -> list[str]:
    """The LLVM types of the words of an argument."""
    if kind[0] == "A":
        return ["ptr", "ptr", "i64", "i64", "ptr", *["i64"] * (2 * int(kind[1]))]
    if kind[0] == "(":
        return [word for part in split(kind[1:-1]) for word in words_of(part)]
    if kind == "n":
        return []
    return ["double", "double"] if kind == "c16" else [WORD_TYPES[kind if kind[0] != "B" else "B"]]


def _share_definitions(part: Any) -> None:
    """Let modules define the same function: one copy remains. Wrappers for Python are dropped."""
    for function in part.functions:
        if function.is_declaration:
            continue
        if function.name.startswith(("_ZN7cpython", "cfunc.")):
            function.linkage = "internal"
        elif str(function.linkage) not in ("Linkage.internal", "Linkage.private"):
            function.linkage = "weak_odr"
    for variable in part.global_variables:
        if not variable.is_declaration and variable.name.startswith(("_ZN08NumbaEnv", ".bytes", "PyExc")):
            variable.linkage = "weak_odr"
        elif not variable.is_declaration and variable.name.startswith(".const."):
            variable.linkage = "internal"


def _hide_all_but(module: Any, visible: Collection[str]) -> None:
    """Make everything internal but some variables, under short names: those of Numba fill a third of the file."""
    for k, function in enumerate(list(module.functions)):
        if not function.is_declaration:
            function.linkage = "internal"
            function.name = f"f{k}"
    for k, variable in enumerate(list(module.global_variables)):
        if not variable.is_declaration and variable.name not in visible:
            variable.linkage = "internal"
            variable.name = f"g{k}"


def _optimize(module: Any, machine: Any, small: bool = False) -> None:
    """Run LLVM's passes, without vectorization. `small` code has no equal functions and inlines less."""
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(machine, options)
    if small:
        for function in module.functions:
            if not function.is_declaration:
                function.add_function_attribute("optsize")
    builder.getModulePassManager().run(module, builder)
    if small:
        manager = llvm.create_new_module_pass_manager()
        manager.add_merge_functions_pass()
        manager.add_global_dead_code_eliminate_pass()
        manager.run(module, builder)


def reduced(text: str, kept: Collection[str], machine: Any) -> str:
    """A module without code that the functions named do not reach."""
    module = llvm.parse_assembly(text)
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in kept else "internal"
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.add_sccp_pass()
    manager.add_simplify_cfg_pass()
    manager.add_aggressive_dce_pass()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return str(module)


def simplify(module: Any, machine: Any) -> None:
    """Remove what is computed in vain or twice: a tenth of the time of `optimize` where code was optimized before."""
    manager = llvm.create_new_module_pass_manager()
    manager.add_aggressive_dce_pass()
    manager.add_instruction_combine_pass()
    manager.add_new_gvn_pass()
    manager.add_aggressive_dce_pass()
    manager.add_simplify_cfg_pass()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))


def _drop_unused(module: Any, machine: Any) -> None:
    manager = llvm.create_new_module_pass_manager()
    manager.add_global_dead_code_eliminate_pass()
    manager.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
