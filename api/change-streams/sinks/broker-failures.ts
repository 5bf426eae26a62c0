/** One attempt to give a page to a broker, with its deadline, and what its failure is for people. */
import { cutOff } from '../../webhooks/cut-off.ts';
import { BlockedAddress } from '../../webhooks/resolver.ts';
import { connectionFaults } from '../../webhooks/sender.ts';
import { brokerText } from './broker-text.ts';
import { failed, type Delivery } from './sink.ts';

/** Maximum time for connecting and for all confirmations of a page. */
const sendMaxMs = 30_000;

interface BrokerAttempt {
  readonly abandoning: AbortSignal;
  /** Ends all connections. What is under way may never hear of it. */
  readonly close: () => void;
  readonly publish: (signal: AbortSignal) => Promise<Delivery>;
  /** Meaning of the protocol's own errors; `undefined`: it is another error. */
  readonly failureOf: (error: unknown) => Delivery | undefined | Promise<Delivery | undefined>;
}

/** Every failure ends the connections. Never rejects. */
export async function sendToBroker(attempt: BrokerAttempt): Promise<Delivery> {
  const { abandoning, close, publish, failureOf } = attempt;
  const cut = cutOff(sendMaxMs, abandoning);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const end = () => {
    close();
    late.reject(new Error('it is too late'));
  };
  cut.signal.addEventListener('abort', end);
  if (cut.signal.aborted) end();
  try {
    const delivery = await Promise.race([publish(cut.signal), late.promise]);
    if (delivery.outcome !== 'SUCCESS') close();
    return delivery;
  } catch (error) {
    close();
    const known = await failureOf(error);
    if (known !== undefined) return known;
    return cut.timedOut()
      ? failed('TIMEOUT', `The broker did not confirm within ${sendMaxMs / 1_000} s.`)
      : networkFailure(error);
  } finally {
    cut.signal.removeEventListener('abort', end);
    cut.release();
  }
}

/** Depth of causes that is looked at: libraries wrap an error twice. */
const causesMax = 8;

/** An error and its causes, outermost first. */
export function causesOf(error: unknown): readonly object[] {
  const found: object[] = [];
  let one = error;
  while (typeof one === 'object' && one !== null && found.length < causesMax) {
    found.push(one);
    one = (one as { readonly cause?: unknown }).cause;
  }
  return found;
}

/** Codes are enough: messages of the network name addresses. */
function networkFailure(error: unknown): Delivery {
  for (const one of causesOf(error)) {
    if (one instanceof BlockedAddress) {
      return failed('BLOCKED_ADDRESS', `Not sent: ${one.message}.`);
    }
    const { code } = one as NodeJS.ErrnoException;
    if (typeof code === 'string' && !code.startsWith('PLT_KFK_')) {
      const text = connectionFaults[code] ?? `The connection failed (${brokerText(code)}).`;
      return failed('CONNECTION_ERROR', text);
    }
  }
  return failed('CONNECTION_ERROR', 'The broker closed the connection.');
}
