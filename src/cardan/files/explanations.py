"""What the codes of faults mean: `cardan explain C104` prints the text of one.

`codes` maps a code to its title and an explanation that ends with a wrong and a right example. The examples are parts
of a planar model file; tests read them, so that each gives the fault that it explains.
"""

from __future__ import annotations

from typing import NamedTuple


class Entry(NamedTuple):
    """A kind of fault."""

    title: str
    text: str
    wrong: str
    right: str


def explained(code: str) -> str:
    """The whole text about a code, for a terminal."""
    title, text = codes[code]
    return f"{code}: {title}\n\n{text}\n"


ENTRIES: dict[str, Entry] = {
    "C001": Entry("the file cannot be read", "There is no such file, or it may not be read.", "", ""),
    "C002": Entry("the file is no text", "A model file is UTF-8 text of at most 64 MB and a million entries.", "", ""),
    "C003": Entry(
        "the text is no YAML or JSON",
        "The text cannot be taken apart at the place that is told: a bracket is not closed, a text with ': ' in it "
        "stands without quotes, lines of one level are not indented alike, or tabs indent them.",
        "parameters: {r: 1",
        "parameters: {r: 1}",
    ),
    "C004": Entry(
        "the file is empty, or holds several documents",
        "One file states one model. A line of '---' begins a second document; other files are taken in by include.",
        "parameters: {r: 1}\n---\nparameters: {r: 2}",
        "parameters: {r: 1}",
    ),
    "C005": Entry(
        "aliases or nesting that have no end",
        "An alias (*name) repeats the part that was marked with &name. It may not stand within that part, and all "
        "aliases together may not stand for more than 100,000 entries; nothing is nested deeper than 60 levels.",
        "parameters: &all {r: *all}",
        "bodies: {one: &rod {mass: 1}, two: *rod}",
    ),
    "C006": Entry(
        "a tag that asks for an object",
        "Model files are data. Tags such as !!python/object are refused: a file never executes anything.",
        "parameters: {r: !!python/name:os.system x}",
        "parameters: {r: 1}",
    ),
    "C007": Entry(
        "a name that is no word",
        "Lists and mappings cannot be names.",
        "parameters: {[1, 2]: 3}",
        "parameters: {r: 3}",
    ),
    "C008": Entry(
        "a name that is stated twice",
        "Within one mapping each name stands once; other readers of YAML silently keep the last one.",
        "parameters: {r: 1, r: 2}",
        "parameters: {r: 1, s: 2}",
    ),
    "C101": Entry(
        "an unknown section",
        "The sections of a model file are known; a misspelled one would be left out silently.",
        "forcs: {}",
        "forces: {}",
    ),
    "C102": Entry(
        "the head of the file is not complete",
        "A model file begins with its format, its name and its space.",
        "cardan: 1\nspace: planar",
        "cardan: 1\nname: press\nspace: planar",
    ),
    "C103": Entry(
        "another version of the format",
        "The file was written for another version of the format than this program reads. A newer program reads it.",
        "cardan: 99\nname: press\nspace: planar",
        "cardan: 1\nname: press\nspace: planar",
    ),
    "C104": Entry(
        "an unknown type",
        "Types are the public classes in small letters: Revolute is revolute, RollingWheel is rolling_wheel.",
        "joints: {pin: {type: revolut, a: ground, b: crank}}",
        "joints: {pin: {type: revolute, a: ground, b: crank}}",
    ),
    "C105": Entry(
        "an unknown argument",
        "The arguments of a type are those of its Python class.",
        "joints: {pin: {type: revolute, a: ground, c: crank, b: crank}}",
        "joints: {pin: {type: revolute, a: ground, b: crank}}",
    ),
    "C106": Entry(
        "something is missing",
        "Arguments without a usual value must be stated.",
        "joints: {pin: {type: revolute, a: ground}}",
        "joints: {pin: {type: revolute, a: ground, b: crank}}",
    ),
    "C107": Entry(
        "another kind of value is expected",
        "A list stands where a number is expected, a word where a list is, and so on.",
        "bodies: {crank: {mass: 1, position: 3}}",
        "bodies: {crank: {mass: 1, position: [3, 0]}}",
    ),
    "C108": Entry(
        "a name that cannot be used",
        "Elements, instances and analyses have names that differ; parameters are plain words.",
        "parameters: {crank-radius: 1}",
        "parameters: {crank_radius: 1}",
    ),
    "C109": Entry(
        "an element in the wrong section",
        "Joints, drivers, forces and control blocks have sections of their own; `elements` takes everything.",
        "joints: {push: {type: load, marker: crank, force: [1, 0]}}",
        "forces: {push: {type: load, marker: crank, force: [1, 0]}}",
    ),
    "C110": Entry(
        "an unknown space",
        "A model is planar or spatial.",
        "cardan: 1\nname: press\nspace: flat",
        "cardan: 1\nname: press\nspace: planar",
    ),
    "C111": Entry(
        "an old name",
        "A type or an argument has a new name. The old one works in this version. This is a warning, not a fault.",
        "",
        "forces: {spring: {type: spring, measure: 'length(ground, crank)', stiffness: 10, rest_length: 1}}",
    ),
    "C201": Entry(
        "an unknown name",
        "Nothing in the file has this name. Elements may be used before they are stated; those of an instance have its "
        "name before theirs, and names with spaces or signs stand in quotes within a text: 'front wheel'.angle.",
        "joints: {pin: {type: revolute, a: ground, b: crnk}}",
        "joints: {pin: {type: revolute, a: ground, b: crank}}",
    ),
    "C202": Entry(
        "an element does not offer this",
        "Joints offer their coordinates, blocks their outputs: hinge.angle, guide.travel, pid.error.",
        "joints: {pin: {type: revolute, a: ground, b: crank}}\ndrivers: {motor: {measure: pin.travel, motion: 1}}",
        "joints: {pin: {type: revolute, a: ground, b: crank}}\ndrivers: {motor: {measure: pin.angle, motion: 1}}",
    ),
    "C203": Entry(
        "names that lead to themselves",
        "To make an element, those that it names must be made first; so nothing can name itself on the way.",
        "control: {one: {type: lag, input: two, time_constant: 1}, two: {type: lag, input: one, time_constant: 1}}",
        "control: {one: {type: lag, input: 2, time_constant: 1}, two: {type: lag, input: one, time_constant: 1}}",
    ),
    "C204": Entry(
        "an element of the wrong kind",
        "A joint stands where a body is expected, or an element where a measure is.",
        "joints: {pin: {type: revolute, a: ground, b: crank}}\ndrivers: {motor: {measure: pin, motion: 1}}",
        "joints: {pin: {type: revolute, a: ground, b: crank}}\ndrivers: {motor: {measure: pin.angle, motion: 1}}",
    ),
    "C301": Entry(
        "a text that the grammar does not know",
        "Texts are numbers, names, + - * / **, brackets, calls and markers. Nothing else is known, nothing executed.",
        "parameters: {r: 2 *}",
        "parameters: {r: 2 * 3}",
    ),
    "C302": Entry(
        "no finite number",
        "Numbers are finite. Roots of negative numbers, divisions by zero, nan and inf are refused.",
        "parameters: {r: 1/0}",
        "parameters: {r: 1/2}",
    ),
    "C303": Entry(
        "an unknown unit",
        "After a number stand units such as mm, kg, N/mm, m/s^2, deg, rpm, MPa. "
        "A product with a parameter has a sign: 2*r.",
        "parameters: {r: 25 mmm}",
        "parameters: {r: 25 mm}",
    ),
    "C304": Entry(
        "a unit of another dimension",
        "Every argument knows its dimension; a number without unit counts in the declared unit of that.",
        "bodies: {crank: {mass: 2 mm}}",
        "bodies: {crank: {mass: 2 kg}}",
    ),
    "C305": Entry(
        "parameters in a circle",
        "A parameter may be an expression over others, in any order, but not over itself.",
        "parameters: {r: 2*s, s: r/2}",
        "parameters: {r: 2*s, s: 0.1}",
    ),
    "C306": Entry(
        "a number is expected",
        "A list, a mapping or a marker stands where a number is expected.",
        "bodies: {crank: {mass: [1, 2]}}",
        "bodies: {crank: {mass: 1}}",
    ),
    "C307": Entry(
        "an unknown parameter",
        "Names in expressions are parameters of the file, or pi, tau and e.",
        "parameters: {r: 2*s}",
        "parameters: {s: 1, r: 2*s}",
    ),
    "C308": Entry(
        "an unknown function of numbers",
        "Expressions know sin, cos, tan, asin, acos, atan, atan2, sqrt, hypot, exp, log, log10, sinh, cosh, tanh, abs, "
        "min, max, radians and degrees.",
        "parameters: {r: sine(1)}",
        "parameters: {r: sin(1)}",
    ),
    "C309": Entry(
        "numbers that do not add up",
        "A length and a mass, or a length and a number without unit, have no sum.",
        "parameters: {r: 25 mm + 3}",
        "parameters: {r: 25 mm + 3 mm}",
    ),
    "C310": Entry(
        "a parameter is set that the model does not have",
        "What -p name=value, or an instance, sets must be stated under parameters.",
        "assemblies: {link: {parameters: {r: 1}}}\ninstances: {one: {assembly: link, parameters: {s: 2}}}",
        "assemblies: {link: {parameters: {r: 1}}}\ninstances: {one: {assembly: link, parameters: {r: 2}}}",
    ),
    "C311": Entry(
        "units for something else",
        "Units are declared for length, mass, time, angle and force; all others follow from them.",
        "units: {lenght: mm}",
        "units: {length: mm}",
    ),
    "C312": Entry(
        "a number that counts in SI in a file of other units",
        "Nobody knows the dimension of what control blocks compute with, so their numbers count in SI, whatever the "
        "file declares: kp: 5 on a travel is 5 N/m. This is a warning, no fault; a unit, kp: 5 N/mm, or the word si, "
        "kp: 5 si, says what is meant.",
        "",
        "units: {length: mm}\n"
        "joints: {pin: {type: translational, a: ground, b: crank}}\n"
        "control: {hold: {type: pid, input: pin.travel, setpoint: 10 mm, kp: 5 N/mm}}",
    ),
    "C401": Entry(
        "a file that is not there",
        "A file that the model names does not exist.",
        "include: [nowhere.yaml]",
        "",
    ),
    "C402": Entry(
        "a file outside the folder of the model",
        "A model file reaches files in its own folder and below, and in folders that the caller allows, so that a "
        "model from elsewhere cannot read what it should not.",
        "include: [../../secret.yaml]",
        "",
    ),
    "C403": Entry(
        "files that include each other", "The chain of files is told; one of them must leave the other out.", "", ""
    ),
    "C404": Entry(
        "an instance that does not fit its assembly",
        "An instance names an assembly of the file, and connects what that needs.",
        "assemblies: {link: {needs: [frame]}}\ninstances: {one: {assembly: link}}",
        "assemblies: {link: {needs: [frame]}}\ninstances: {one: {assembly: link, connect: {frame: crank}}}",
    ),
    "C405": Entry(
        "assemblies that contain each other",
        "An assembly may have instances of others, but not of itself; all instances may repeat 100,000 entries.",
        "assemblies: {link: {instances: {inner: {assembly: link}}}}\ninstances: {one: {assembly: link}}",
        "assemblies: {link: {}}\ninstances: {one: {assembly: link}}",
    ),
    "C406": Entry(
        "a table that cannot be used",
        "Columns of a .csv file may take the place of lists of numbers. Every line has a number in each column that is "
        "taken; a first line may name the columns, with units in brackets: travel [mm]. Lines that begin with # are "
        "left out. Where a table has more columns than are needed, `columns` says which, by name or number.",
        "",
        "",
    ),
    "C501": Entry(
        "a function that is not there",
        "Functions are Python, and a model file never executes any: it names them, and the caller says in which module "
        "they are, by load_model(..., functions=module) or --functions FILE.",
        "drivers: {motor: {measure: x(crank), motion: {type: function, f: my-motion}}}",
        "drivers: {motor: {measure: x(crank), motion: {type: function, f: my_motion}}}",
    ),
    "C601": Entry(
        "the model refuses this",
        "The text is right, but the element refuses its numbers: a negative mass, a gear without radius. The sentence "
        "is that of the Python class. It is found when the model is built, not by `cardan check`.",
        "",
        "",
    ),
}  # fmt: skip


def _explanation(entry: Entry) -> str:
    parts = [entry.text]
    for word, example in (("wrong", entry.wrong), ("right", entry.right)):
        if example:
            lines = "\n".join(f"    {line}" for line in example.splitlines())
            parts.append(f"{word}:\n\n{lines}")
    return "\n\n".join(parts)


codes: dict[str, tuple[str, str]] = {code: (entry.title, _explanation(entry)) for code, entry in ENTRIES.items()}
