/** A number from 1 on out of the environment. */
export function count(name: string, fallback: number): number {
  const text = process.env[name] ?? String(fallback);
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new Error(`${name} is "${text}"; it is a number from 1`);
  return Number(text);
}
