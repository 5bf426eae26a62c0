/** A ledger of a later release. It knows rules 2, under which the same history gives another state. */
import { StateMachine } from '../../ledger/state-machine.ts';

export class TwoRulesLedger extends StateMachine {
  override readonly rulesMax = 2;
  rules = 1;

  override useRules(rules: number): void {
    super.useRules(rules);
    this.rules = rules;
  }

  override stateHash(): Uint8Array {
    const hash = super.stateHash();
    return this.rules === 1 ? hash : hash.map((byte) => byte ^ 0xff);
  }
}
