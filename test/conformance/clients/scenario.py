"""A day at the ledger with the official Python client: accounts, two-phase and linked transfers, lookups, queries."""
import sys

import tigerbeetle as tb


def check(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: got {got}, wanted {wanted}")


def account(id, flags=0):
    return tb.Account(id=id, ledger=1, code=10, user_data_64=77, flags=flags)


def transfer(id, debit, credit, amount, **more):
    fields = dict(ledger=1, code=20)
    fields.update(more)
    return tb.Transfer(id=id, debit_account_id=debit, credit_account_id=credit, amount=amount, **fields)


def statuses(results):
    return [result.status for result in results]


created, exceeds = tb.CreateTransferStatus.CREATED, tb.CreateTransferStatus.EXCEEDS_CREDITS
with tb.ClientSync(cluster_id=0, replica_addresses=sys.argv[1]) as client:
    bank, alice, bob = tb.id(), tb.id(), tb.id()
    limited = tb.AccountFlags.DEBITS_MUST_NOT_EXCEED_CREDITS | tb.AccountFlags.HISTORY
    made = client.create_accounts([account(bank), account(alice, limited), account(bob)])
    check("accounts", statuses(made), [tb.CreateAccountStatus.CREATED] * 3)
    check("again", statuses(client.create_accounts([account(bank)])), [tb.CreateAccountStatus.EXISTS])

    pending = tb.id()
    steps = [
        transfer(tb.id(), bank, alice, 100),
        transfer(tb.id(), alice, bob, 1000),
        transfer(pending, alice, bob, 60, flags=tb.TransferFlags.PENDING),
        transfer(tb.id(), 0, 0, 25, pending_id=pending, flags=tb.TransferFlags.POST_PENDING_TRANSFER, ledger=0, code=0),
    ]
    check("transfers", statuses(client.create_transfers(steps)), [created, exceeds, created, created])
    chain = [
        transfer(tb.id(), alice, bob, 1, flags=tb.TransferFlags.LINKED),
        transfer(tb.id(), alice, bob, 1000),
    ]
    check("chain", statuses(client.create_transfers(chain)), [tb.CreateTransferStatus.LINKED_EVENT_FAILED, exceeds])

    looked_up = client.lookup_accounts([alice, bob, 12345])
    check("balances", [(a.debits_posted, a.credits_posted, a.debits_pending) for a in looked_up], [(25, 100, 0), (0, 25, 0)])
    both = tb.AccountFilterFlags.DEBITS | tb.AccountFilterFlags.CREDITS
    nothing = dict(user_data_128=0, user_data_32=0, code=0, timestamp_min=0, timestamp_max=0)
    mine = tb.AccountFilter(account_id=alice, user_data_64=0, limit=10, flags=both, **nothing)
    check("history", [t.amount for t in client.get_account_transfers(mine)], [100, 60, 25])
    check("balance history", [b.debits_posted for b in client.get_account_balances(mine)], [0, 0, 25])
    query = tb.QueryFilter(user_data_64=77, ledger=1, limit=2, flags=tb.QueryFilterFlags.REVERSED, **nothing)
    check("query", [a.id for a in client.query_accounts(query)], [bob, alice])
print("ok")
