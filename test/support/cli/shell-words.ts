/** Splits a command line like a shell, as far as the examples of help need it, up to a redirection or a second command. */
export function shellWords(line: string): string[] {
  const before = /^(?:'[^']*'|"[^"]*"|[^<>&'"])*/.exec(line)?.[0] ?? '';
  return [...before.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}
