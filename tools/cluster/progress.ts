/** Progress for people: one line for each step, with the time since the command began. */
const started = Date.now();

export function step(message: string): void {
  const seconds = ((Date.now() - started) / 1000).toFixed(1).padStart(6);
  console.log(`cluster: ${seconds}s  ${message}`);
}
