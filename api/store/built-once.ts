/** Statements that are built once: building one of many columns takes longer than running it. */
import type { Compilable, CompiledQuery } from 'kysely';
import type { Reader } from './tables.ts';

/**
 * Returns a function that runs the statement with the given values. `build` is called once, with stand-ins in the place of the
 * values, and must use them as they are: a stand-in that it converts would stay in the statement.
 */
export function builtOnce<Row, Values extends readonly string[]>(
  build: (db: Reader, ...values: Values) => Compilable<Row>,
): (db: Reader, ...values: Values) => Promise<Row[]> {
  let built: CompiledQuery<Row> | undefined;
  return async (db, ...values) => {
    const standIns = values.map((_, index) => `value ${index} of this statement`);
    built ??= build(db, ...(standIns as unknown as Values)).compile();
    const parameters = built.parameters.map((parameter) => {
      const index = standIns.indexOf(parameter as string);
      return index === -1 ? parameter : values[index];
    });
    const { rows } = await db.executeQuery<Row>({ ...built, parameters });
    return rows;
  };
}
