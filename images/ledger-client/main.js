// A client's pod for tests: the official Node.js client, with what the ConfigMap of a database says.
//   wait                        does nothing, for `kubectl exec`
//   create COUNT                accounts 1 and 2, and COUNT transfers of 1 from 1 to 2 with ids from the clock
//   read                        prints what account 2 was credited
//   connect                     prints `connected` or `no connection` within 3 s
import { connect as dial } from 'node:net';
import { createClient, id } from 'tigerbeetle-node';

const [verb = 'wait', argument = '1'] = process.argv.slice(2);
const addresses = (process.env.ADDRESSES ?? '').split(',');

if (verb === 'wait') {
  process.on('SIGTERM', () => process.exit(0));
  setInterval(() => {}, 60_000);
} else if (verb === 'connect') {
  const [host, port] = addresses[0].split(':');
  const socket = dial({ host, port: Number(port) });
  const end = (word) => {
    console.log(word);
    process.exit(0);
  };
  socket.once('connect', () => end('connected')).once('error', () => end('no connection'));
  setTimeout(() => end('no connection'), 3_000);
} else {
  const client = createClient({
    cluster_id: BigInt(process.env.CLUSTER_ID ?? '0'),
    replica_addresses: addresses,
  });
  if (verb === 'create') {
    const account = (number) => ({
      id: BigInt(number),
      debits_pending: 0n,
      debits_posted: 0n,
      credits_pending: 0n,
      credits_posted: 0n,
      user_data_128: 0n,
      user_data_64: 0n,
      user_data_32: 0,
      reserved: 0,
      ledger: 1,
      code: 1,
      flags: 0,
      timestamp: 0n,
    });
    await client.createAccounts([account(1), account(2)]);
    for (let made = 0; made < Number(argument); made += 1) {
      await client.createTransfers([
        {
          id: id(),
          debit_account_id: 1n,
          credit_account_id: 2n,
          amount: 1n,
          pending_id: 0n,
          user_data_128: 0n,
          user_data_64: 0n,
          user_data_32: 0,
          timeout: 0,
          ledger: 1,
          code: 1,
          flags: 0,
          timestamp: 0n,
        },
      ]);
    }
  }
  const [, credited] = await client.lookupAccounts([1n, 2n]);
  console.log(String(credited?.credits_posted ?? 'no account'));
  client.destroy();
}
