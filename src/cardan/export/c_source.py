"""The C header and source of an exported model."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from cardan.analysis.forward.events.mode_kernels import NO_IMPULSES, NO_MODES, TOO_DEEP
from cardan.analysis.stepping.event_kernels import CHATTERS
from cardan.analysis.stepping.kernels import BAD_DURATION, BAD_INPUT
from cardan.export.exported_model import ExportedModel, Variable
from cardan.integrators.stepper import FINISHED, RUNNING
from cardan.numerics.compiled.image import ALIGNMENT

RUNTIME = Path(__file__).with_name("runtime.c")


def header(model: ExportedModel) -> str:
    """The header: what a program calls."""
    name, guard, api = model.name, f"{model.name.upper()}_H", f"{model.name.upper()}_API"
    derivative = f"""/* the change of the outputs now with that of the inputs, one number for each: exact */
{api} int {name}_derivative({name} *instance, const double *inputs, double *outputs);
"""
    return f"""/* {_comment(model.title)}: a mechanism, exported by Cardan.
 *
 * Link with lib{name} and the mathematical library (-lm).
 * Instances do not share memory: each may be used by one thread at a time. After open, nothing allocates memory.
 * Functions that return int return 0, or the number of an error; {name}_message explains it. After an error in a step
 * the instance must be reset or restored.
 */
#ifndef {guard}
#define {guard}

#include <stddef.h>

#ifndef {api}
#define {api}
#endif

#ifdef __cplusplus
extern "C" {{
#endif

typedef struct {name} {name};

{_variables(name, "INPUTS", model.inputs)}
{_variables(name, "OUTPUTS", model.outputs)}
{api} {name} *{name}_open(void);                               /* a new instance at the start; NULL without memory */
{api} void {name}_close({name} *instance);
{api} void {name}_reset({name} *instance);                     /* return to the start, inputs included */
{api} int {name}_set({name} *instance, int input, double value);
{api} double {name}_input(const {name} *instance, int input);
{api} int {name}_step({name} *instance, double duration);      /* advance, in s, with constant inputs; read outputs */
{api} int {name}_refresh({name} *instance);                    /* read the outputs now, with inputs that were set */
{api} double {name}_get(const {name} *instance, int output);
{api} double {name}_time(const {name} *instance);              /* s */
{api} size_t {name}_state_size(void);                          /* bytes of a saved state */
{api} void {name}_save(const {name} *instance, void *state);   /* also for other instances, and for files */
{api} int {name}_restore({name} *instance, const void *state); /* the same steps then give the same bits */
{derivative if model.derivatives else ""}{api} const char *{name}_message(int status);

#ifdef __cplusplus
}}
#endif

#endif
"""


def source(model: ExportedModel) -> str:
    """The source: the image, where things are in it, and the functions of the header."""
    image, places = model.image, model.places
    defines = {
        "SIZE": len(image.data),
        "ALIGNMENT": ALIGNMENT,
        "INPUTS": len(model.inputs),
        "OUTPUTS": len(model.outputs),
        "POINTERS": len(image.pointers),
        "KERNELS": len(image.kernels),
        "STATES": len(model.states),
        "INDICATORS": model.indicators,
        "DERIVATIVES": int(model.derivatives),
        **{f"AT_{key.upper()}": place for key, place in places.items()},
        "FINISHED": FINISHED,
        "RUNNING": RUNNING,
        "BAD_DURATION": BAD_DURATION,
        "BAD_INPUT": BAD_INPUT,
        "TOO_DEEP": TOO_DEEP,
        "NO_IMPULSES": NO_IMPULSES,
        "NO_MODES": NO_MODES,
        "CHATTERS": CHATTERS,
    }
    kernels = [number for pair in image.kernels for number in pair]
    return "\n".join(
        [
            f"/* {_comment(model.title)}: tables and functions, exported by Cardan. */",
            "#if defined(_WIN32)",
            "#define PUBLIC __declspec(dllexport)",
            "#else",
            '#define PUBLIC __attribute__((visibility("default")))',
            "#endif",
            f"#define {model.name.upper()}_API PUBLIC",
            f'#include "{model.name}.h"',
            "#include <math.h>",
            "#include <stdint.h>",
            "#include <stdlib.h>",
            "#include <string.h>",
            "",
            f"#define NAME(part) {model.name}##part",
            *(f"#define {key} {value}" for key, value in defines.items()),
            "",
            f"static const uint64_t fingerprint = {fingerprint(model):#x}ull;",
            f"static const uint64_t image[SIZE / 8] = {{\n{_words(bytes(image.data))}\n}};",
            f"static const uint32_t pointers[] = {{\n{_rows(image.pointers)}\n}};",
            f"static const uint32_t kernels[][2] = {{\n{_rows(kernels)}\n}};",
            *(
                [f"static const char driven[] = {{{_rows([*(int(one.driver) for one in model.inputs), 0])}}};"]
                if model.derivatives
                else []
            ),
            "",
            RUNTIME.read_text(),
        ]
    )


def fingerprint(model: ExportedModel) -> int:
    """A number that distinguishes the states of this model from those of others."""
    return int.from_bytes(hashlib.sha256(bytes(model.image.data)).digest()[:8], "little") | 1


def _variables(name: str, kind: str, variables: Sequence[Variable]) -> str:
    """Numbers of inputs or outputs: a comment for each, and how many there are."""
    lines = [f"enum {{ {name.upper()}_{kind} = {len(variables)} }};"]
    lines += [
        f"/* {k:4} {_comment(one.name)}{f' ({_comment(one.unit)})' if one.unit else ''}, {one.start:g} at the start */"
        for k, one in enumerate(variables)
    ]
    return "\n".join(lines) + "\n"


def _words(data: bytes) -> str:
    """Words of the image; zeros are left out, words behind them state their place."""
    words = [int.from_bytes(data[k : k + 8], "little") for k in range(0, len(data), 8)]
    lines, expected = ["[0] = 0"], 0
    for k, word in enumerate(words):
        if word:
            lines.append(f"{word:#x}" if k == expected else f"[{k}] = {word:#x}")
            expected = k + 1
    return ",\n".join(lines)


def _rows(numbers: Iterable[int]) -> str:
    """Numbers, sixteen to a line."""
    texts = [str(number) for number in numbers]
    return ",\n".join(", ".join(texts[k : k + 16]) for k in range(0, len(texts), 16))


def _comment(text: str) -> str:
    """Text that cannot end a comment or a line."""
    return " ".join(text.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/").split())
