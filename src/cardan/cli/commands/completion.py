"""Print a completion script for a shell: commands, options, examples and files.

bash: cardan completion bash > ~/.local/share/bash-completion/completions/cardan
zsh:  cardan completion zsh > "${fpath[1]}/_cardan"
fish: cardan completion fish > ~/.config/fish/completions/cardan.fish
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from cardan.cli.arguments import add_json

HELP = "print a completion script for a shell"
SHELLS = ("bash", "zsh", "fish")
TAKE_EXAMPLES = ("run", "sweep", "mobility", "examples", "view", "plot", "report", "export")


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=SHELLS)
    add_json(command)


def execute(arguments: argparse.Namespace) -> int:
    from cardan.cli import parser
    from cardan.examples import names

    commands = {name: (about, [*_options(command)]) for name, about, command in _commands(parser())}
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell]
    script = write(commands, names())
    arguments.output.line(script)
    arguments.output.add(shell=arguments.shell, script=script)
    return 0


Commands = dict[str, tuple[str, list[tuple[str, str]]]]


def _commands(whole: argparse.ArgumentParser) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    for action in whole._actions:
        if isinstance(action, argparse._SubParsersAction):
            about = {choice.dest: choice.help or "" for choice in action._choices_actions}
            yield from ((name, about[name], command) for name, command in action.choices.items())


def _options(command: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    for action in command._actions:
        for option in action.option_strings:
            if option.startswith("--"):
                yield option, action.help or ""


def _bash(commands: Commands, examples: list[str]) -> str:
    cases = "\n".join(f'    {name}) words="{" ".join(o for o, _ in o)}" ;;' for name, (_, o) in commands.items())
    return f"""# bash completion of cardan
_cardan() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{" ".join(commands)}" -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{cases}
  esac
  case "${{COMP_WORDS[1]}}" in {"|".join(TAKE_EXAMPLES)})
    [[ "$word" == -* ]] || words="{" ".join(examples)}" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _cardan cardan"""


def _zsh(commands: Commands, examples: list[str]) -> str:
    described = "\n".join(f"    '{name}:{_quoted(about)}'" for name, (about, _) in commands.items())
    cases = "\n".join(
        f"    {name}) options=({' '.join(option for option, _ in options)}) ;;"
        for name, (_, options) in commands.items()
    )
    return f"""#compdef cardan
_cardan() {{
  local -a commands options examples
  commands=(
{described}
  )
  examples=({" ".join(examples)})
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  case "$words[2]" in
{cases}
  esac
  case "$words[2]" in {"|".join(TAKE_EXAMPLES)}) compadd -- $examples ;; esac
  compadd -- $options
  _files
}}
_cardan "$@" """.rstrip()


def _fish(commands: Commands, examples: list[str]) -> str:
    lines = ["# fish completion of cardan"]
    for name, (about, options) in commands.items():
        lines.append(f"complete -c cardan -n __fish_use_subcommand -a {name} -d '{_quoted(about)}'")
        inside = f"complete -c cardan -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{inside} -l {option[2:]} -d '{_quoted(what)}'" for option, what in options]
        if name in TAKE_EXAMPLES:
            lines.append(f"{inside} -a '{' '.join(examples)}'")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return text.replace("'", "").replace("`", "").replace(":", " -")
