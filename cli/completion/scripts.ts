/** One small script for each shell. Each calls `ledgerhouse __complete`, so it always offers the commands of this version. */
export const completionScripts = {
  bash: `# Completion of ledgerhouse for bash.
_ledgerhouse() {
  local IFS=$'\\n'
  COMPREPLY=($(ledgerhouse __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _ledgerhouse ledgerhouse
`,
  zsh: `#compdef ledgerhouse
# Completion of ledgerhouse for zsh.
_ledgerhouse() {
  local line
  local -a candidates
  for line in "\${(@f)$(ledgerhouse __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( \${#candidates} )); then
    _describe ledgerhouse candidates
  else
    _files
  fi
}
if [[ $funcstack[1] == _ledgerhouse ]]; then
  _ledgerhouse "$@"
else
  compdef _ledgerhouse ledgerhouse
fi
`,
  fish: `# Completion of ledgerhouse for fish.
function __ledgerhouse_complete
  set -l words (commandline -opc) (commandline -ct)
  ledgerhouse __complete $words[2..-1] 2>/dev/null
end
complete -c ledgerhouse -a '(__ledgerhouse_complete)'
`,
} as const;

export const isShell = (name: string): name is keyof typeof completionScripts =>
  Object.hasOwn(completionScripts, name);
