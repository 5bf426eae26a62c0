/** Ledgers of other releases: an older one, and a later one, to whose rules 2 replicas move, and which give another state. */
import { StateMachine } from '../../ledger/state-machine.ts';

export class OneRuleLedger extends StateMachine {
  override readonly rulesMax = 1;
}

export class TwoRulesLedger extends StateMachine {
  override readonly rulesMax = 2;
  override readonly rulesSought = 2;
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
