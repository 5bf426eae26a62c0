/**
 * Refuses a request for the present values while a change under way will set others. The latest request should count, so the refusal names
 * that change and what to do. Pure.
 */
import type { ConfigurationChange } from '../model/configuration-change.ts';
import type { FieldChange } from '../model/event.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { Refusal } from '../model/refusal.ts';
import { memberOf } from './impact.ts';
import type { ChangeWorld } from './plan-change.ts';
import { askedOf, valueIn } from './spec-values.ts';

/** The refusal with the change that is under way, if that changes what the request asks to be as it is. */
export function withUnfinished(
  refusal: Refusal,
  world: Pick<ChangeWorld, 'object' | 'profile'>,
  request: object,
  unfinished: readonly ConfigurationChange[],
): Refusal {
  if (refusal.code !== 'nothing_to_change') return refusal;
  const isAsked = (path: string) => 'revision' in request || memberOf(path) in request;
  for (const { id, status, diff } of unfinished) {
    const coming = diff.find((one) => isAsked(one.path) && isComing(world, one));
    if (coming === undefined) continue;
    const whatNow =
      status === 'QUEUED' ? 'Withdraw it, if that is not wanted' : 'Ask again once it has ended';
    const detail = `The database has the requested values now, and ${id} is about to set ${coming.path.slice(1)} to ${JSON.stringify(coming.to)}. ${whatNow}.`;
    return new Refusal(refusal.code, { ...refusal.occasion, detail });
  }
  return refusal;
}

/** Whether neither the resource nor the active revision has the value yet. */
function isComing({ object, profile }: Pick<ChangeWorld, 'object' | 'profile'>, one: FieldChange) {
  const { path, to } = one;
  const differs = (value: unknown) =>
    value === undefined || canonicalJson(value) !== canonicalJson(to);
  return (
    memberOf(path) !== 'labels' && differs(askedOf(object, path)) && differs(valueIn(profile, path))
  );
}
