/**
 * Masks what could be a secret, before a line is kept. Our own programs log none; this is for what a library, an engine of others
 * or an error's text may bring. Too much masked is a smaller harm than a secret that is read.
 */
const mask = '•••';

const names =
  'pass(?:word|wd|phrase)?|pwd|secret|token|cookie|credential|(?:api|access|account|private)[-_]?key|signature';

/** Names of fields whose value is never shown. */
const secretName =
  /pass(word|wd|phrase)?$|pwd$|secret|token|authorization|cookie|credential|(api|access|account|private)[-_]?key|signature/i;

/** A quoted text, which may be cut off. */
const quoted = String.raw`"(?:[^"\\]|\\(?:[^]|$))*(?:"|$)|'(?:[^'\\]|\\(?:[^]|$))*(?:'|$)`;
/** A list or an object, up to its first end, or a text that begins like one. */
const bracketed = String.raw`(?:\[[^\]]*(?:\]|$)|\{[^}]*(?:\}|$))[^\s,;&"'}]*`;
const assigns = String.raw`["']?\s{0,4}[=:]{1,2}>?\s{0,4}`;

/** `name=value`, `name: value` and `name => value` of the same names, with or without quotes. Bounded, so that no text takes long to search. */
const assignment = new RegExp(
  String.raw`\b([\w-]{0,40}(?:${names})[\w-]{0,20}${assigns})(?:${quoted}|${bracketed}|[^\s,;&"'}]+)`,
  'gi',
);

/** `--name value`, as a text and as a list of arguments. What begins with two hyphens is the next option. */
const option = new RegExp(
  String.raw`(?<![\w-])(--?[\w-]{0,40}(?:${names})[\w-]{0,20}(?:["']\s{0,4},)?\s{1,4})(?!--)(?:${quoted}|[^\s"']+)`,
  'gi',
);

/** Cookies come several in a line, with dates and signs of every kind: all up to its end, unless one quoted text is all of them. */
const cookies = new RegExp(
  String.raw`\b([\w-]{0,40}cookie[\w-]{0,20}${assigns})(?:(?:${quoted})(?!\s{0,4};)|[^\r\n]+)`,
  'gi',
);

/** SQL's own way to write a password: `PASSWORD 'x'` and `IDENTIFIED BY 'x'`, in which two quotes are one. */
const sqlPassword =
  /\b((?:password|identified\s{1,4}by)\s{1,4}(?:E|U&)?)(?:'(?:[^']|'')*(?:'|$)|\$\$(?:(?!\$\$)[^])*(?:\$\$|$))/gi;

const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, mask],
  // A line of a key whose lines were logged one by one.
  [/^[A-Za-z0-9+/]{60,76}={0,2}$/, mask],
  // The service's own: API keys, sessions, bootstrap tokens and the like, webhooks' secrets.
  [/\b(lh[a-z]{1,4}_|lk_|whsec_)[\w+/=-]{8,}/g, `$1${mask}`],
  // Keys of age, which encrypts files, and of its plugins.
  [/\b(AGE-(?:SECRET-KEY|PLUGIN)-)[\w-]{8,}/gi, `$1${mask}`],
  [/\b(sk|rk|pk)_(live|test)_\w{8,}/g, `$1_$2_${mask}`],
  // Tokens of GitHub, GitLab and Slack.
  [/\b(gh[a-z]_|github_pat_|glpat-|xox[a-z]-)[\w-]{8,}/g, `$1${mask}`],
  [/\b((?:AKIA|ASIA)[A-Z0-9]{4})[A-Z0-9]{12}\b/g, `$1${mask}`],
  // A JSON Web Token, with what stands before it without a space: so a text has one begin for each, and is searched once.
  [/(?<![\w-])(?=[\w-]*eyJ)[\w-]{9,}\.[\w-]{6,}\.[\w-]*/g, mask],
  [/\b(authorization["']?\s*[=:]\s*["']?(?:[a-z]+\s+)?)[^\s"',;]+/gi, `$1${mask}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${mask}`],
  // Azure's signed URLs.
  [/([?&;]sig=)[^\s&"'<>]+/gi, `$1${mask}`],
  [sqlPassword, `$1${mask}`],
  [cookies, `$1${mask}`],
  [option, `$1${mask}`],
  [assignment, `$1${mask}`],
];

const url = /([a-z0-9+.-]:\/\/)(\S*)/gi;

/** Without name and password: all up to the last @, since passwords with a slash are written as they are. */
function bareUrl(_: string, scheme: string, rest: string): string {
  const at = rest.lastIndexOf('@');
  return at === -1 ? scheme + rest : `${scheme}${mask}${rest.slice(at)}`;
}

/** Sequences that colour a terminal's text, or link it (ECMA-48): they could stand within the name of a secret. */
const terminalSequence =
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
  /(?:\u001b\[|\u009b)[0-?]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b]{0,400}(?:\u0007|\u001b\\)?|\u001b[@-Z\\-_]/g;

const bare = (text: string): string => text.replace(terminalSequence, '');

export function redact(text: string): string {
  let masked = bare(text).replace(url, bareUrl);
  for (const [pattern, replacement] of patterns) masked = masked.replace(pattern, replacement);
  return masked;
}

const depthMax = 8;

/** Whether what follows in a list is a secret: arguments of a program and raw headers have name and value one after the other. */
const namesSecret = (before: unknown): boolean =>
  typeof before === 'string' && /^[\w-]{1,60}$/.test(bare(before)) && secretName.test(bare(before));

/** The same for a value of JSON. What is nested deeper than anybody reads is left out. */
export function redactValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === depthMax) return '…';
  if (Array.isArray(value)) {
    return value.map((own, index) =>
      typeof own === 'string' && namesSecret(value[index - 1]) ? mask : redactValue(own, depth + 1),
    );
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => [
      redact(name),
      secretName.test(bare(name)) && own !== null ? mask : redactValue(own, depth + 1),
    ]),
  );
}
