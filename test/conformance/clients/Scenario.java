import com.tigerbeetle.*;
import java.math.BigInteger;

/**
 * A day at the ledger with an official Java client of release 0.16: accounts, two-phase and linked transfers, lookups,
 * queries. Clients of that release send the older operation codes, whose results name only what failed.
 */
public final class Scenario {
    static void check(String what, Object got, Object wanted) {
        if (!got.equals(wanted)) {
            System.err.println(what + ": got " + got + ", wanted " + wanted);
            System.exit(1);
        }
    }

    static byte[] account(AccountBatch batch, int flags) {
        byte[] id = UInt128.id();
        batch.add();
        batch.setId(id);
        batch.setLedger(1);
        batch.setCode(10);
        batch.setUserData64(77);
        batch.setFlags(flags);
        return id;
    }

    static byte[] transfer(TransferBatch batch, byte[] debit, byte[] credit, long amount, int flags) {
        byte[] id = UInt128.id();
        batch.add();
        batch.setId(id);
        batch.setDebitAccountId(debit);
        batch.setCreditAccountId(credit);
        batch.setAmount(BigInteger.valueOf(amount));
        batch.setLedger(1);
        batch.setCode(20);
        batch.setFlags(flags);
        return id;
    }

    static String statuses(CreateTransferResultBatch results) {
        StringBuilder all = new StringBuilder();
        while (results.next()) all.append(results.getIndex()).append('=').append(results.getResult()).append(' ');
        return all.toString().trim();
    }

    public static void main(String[] args) throws Exception {
        try (Client client = new Client(UInt128.asBytes(0), new String[] {args[0]})) {
            AccountBatch accounts = new AccountBatch(3);
            byte[] bank = account(accounts, 0);
            byte[] alice = account(accounts, AccountFlags.DEBITS_MUST_NOT_EXCEED_CREDITS);
            byte[] bob = account(accounts, 0);
            check("accounts that failed", client.createAccounts(accounts).getLength(), 0);

            TransferBatch first = new TransferBatch(3);
            transfer(first, bank, alice, 100, TransferFlags.NONE);
            transfer(first, alice, bob, 1000, TransferFlags.NONE);
            byte[] pending = transfer(first, alice, bob, 60, TransferFlags.PENDING);
            check("transfers", statuses(client.createTransfers(first)), "1=ExceedsCredits");

            TransferBatch post = new TransferBatch(1);
            post.add();
            post.setId(UInt128.id());
            post.setPendingId(pending);
            post.setAmount(BigInteger.valueOf(25));
            post.setFlags(TransferFlags.POST_PENDING_TRANSFER);
            check("post", statuses(client.createTransfers(post)), "");

            TransferBatch chain = new TransferBatch(2);
            transfer(chain, alice, bob, 1, TransferFlags.LINKED);
            transfer(chain, alice, bob, 1000, TransferFlags.NONE);
            check("chain", statuses(client.createTransfers(chain)), "0=LinkedEventFailed 1=ExceedsCredits");

            IdBatch ids = new IdBatch(2);
            ids.add(alice);
            ids.add(bob);
            AccountBatch found = client.lookupAccounts(ids);
            found.next();
            check("alice", found.getDebitsPosted() + "/" + found.getCreditsPosted() + "/" + found.getDebitsPending(), "25/100/0");
            found.next();
            check("bob", found.getCreditsPosted(), BigInteger.valueOf(25));

            QueryFilter query = new QueryFilter();
            query.setUserData64(77);
            query.setLimit(2);
            query.setReversed(true);
            check("query", client.queryAccounts(query).getLength(), 2);
        }
        System.out.println("ok");
    }
}
