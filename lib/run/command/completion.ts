/** The completion of the commands in bash. Source: bash(1), "Programmable Completion". */
import { type Command, COMMANDS, namesOfGroup } from "./table.ts";
import { topWords } from "./words.ts";

/** The script that `browser-stream completion bash` prints. */
export function bashCompletion(): string {
  const groups = topWords().filter((word) => namesOfGroup(word).length > 0);
  return `# Completion of browser-stream for bash. Written by: browser-stream completion bash
_browser_stream() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} name=\${COMP_WORDS[1]} words= files=
  case $name in
    ${groups.join("|")}) [ "$COMP_CWORD" -gt 2 ] && name="$name \${COMP_WORDS[2]}" ;;
  esac
  # bash makes three words of "--role=admin"
  if [ "$current" = "=" ]; then
    name="$name $before" current=
  elif [ "$before" = "=" ]; then
    name="$name \${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${[...topWords(), "--help", "--version"].join(" ")}"
  else
    case $name in
${groups.map((group) => caseOf(group, secondsOf(group))).join("\n")}
      help) words="${topWords().join(" ")} --all" ;;
${Object.entries(COMMANDS).flatMap(([name, command]) => casesOf(name, command)).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ -n "$files" ] && [ "\${current#-}" = "$current" ] && COMPREPLY+=($(compgen -f -- "$current"))
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o filenames -F _browser_stream browser-stream
`;
}

const secondsOf = (group: string) =>
  [...namesOfGroup(group).map((name) => name.slice(group.length + 1)), "--help"].join(" ");
const caseOf = (name: string, words: string, files = false) =>
  `      ${JSON.stringify(name)}) words="${words}"${files ? " files=yes" : ""} ;;`;

/** What may follow a command, and the values of its options. */
function casesOf(name: string, { operands = [], options = {}, isInner }: Command): string[] {
  if (isInner || name === "help") return [];
  const values = Object.entries(options).flatMap(([option, { value }]) =>
    value?.choices ? [caseOf(`${name} --${option}`, value.choices.join(" "))] : []
  );
  const flags = [
    ...Object.entries(options).map(([option, { value }]) => `--${option}${value ? "=" : ""}`),
    "--help",
  ];
  const choices = operands.flatMap((operand) => operand.choices ?? []);
  return [
    ...values,
    caseOf(name, [...choices, ...flags].join(" "), operands.some((one) => one.name === "FILE")),
  ];
}
