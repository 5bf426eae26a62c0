// A client's pod for tests: the official Node.js client, with what the ConfigMap of a database says.
//   wait                        does nothing, for `kubectl exec`
//   create COUNT                accounts 1 and 2, and COUNT transfers of 1 from 1 to 2 with ids from the clock
//   read                        prints what account 2 was credited
//   fill FROM TO                accounts 5 and 6, and the transfers FROM to TO - 1, each of 1, from 5 to 6, in full batches; prints what
//                               account 6 was credited
//   run                         carries out the requests of standard input, a JSON document a line, and prints each answer
//   connect                     prints `connected` or `no connection` within 3 s
// --addresses=LIST: other ones than those of the pod's environment, as when the database has new ones since.
import { connect as dial } from 'node:net';
import { createInterface } from 'node:readline';
import { CreateAccountStatus, CreateTransferStatus, createClient, id } from 'tigerbeetle-node';

const words = process.argv.slice(2);
const [verb = 'wait', argument = '1', end = '0'] = words.filter((word) => !word.startsWith('--'));
const given = words.find((word) => word.startsWith('--addresses='))?.split('=')[1];
const addresses = (given ?? process.env.ADDRESSES ?? '').split(',');

if (verb === 'wait') {
  process.on('SIGTERM', () => process.exit(0));
  setInterval(() => {}, 60_000);
} else if (verb === 'connect') {
  const [host, port] = addresses[0].split(':');
  const socket = dial({ host, port: Number(port) });
  const say = (word) => {
    console.log(word);
    process.exit(0);
  };
  socket.once('connect', () => say('connected')).once('error', () => say('no connection'));
  setTimeout(() => say('no connection'), 3_000);
} else {
  const client = createClient({
    cluster_id: BigInt(process.env.CLUSTER_ID ?? '0'),
    replica_addresses: addresses,
  });
  if (verb === 'create') {
    const account = (number) => record({ id: String(number), ledger: 1, code: 1 });
    await client.createAccounts([account(1), account(2)]);
    const one = { debit_account_id: '1', credit_account_id: '2', amount: '1', ledger: 1, code: 1 };
    for (let made = 0; made < Number(argument); made += 1) {
      await client.createTransfers([record({ ...one, id: String(id()) })]);
    }
  }
  if (verb === 'fill') await fill(client, Number(argument), Number(end));
  if (verb === 'run') {
    const lines = createInterface({ input: process.stdin });
    // Also while the replicas are gone that it waits for.
    lines.once('close', () => process.exit(0));
    for await (const line of lines) await answer(client, line);
  }
  const [credited] = await client.lookupAccounts([verb === 'fill' ? 6n : 2n]);
  console.log(String(credited?.credits_posted ?? 'no account'));
  client.destroy();
}

/** The ids are far above those of `run`, and the same in each run: what is there is not made twice. */
async function fill(client, from, to) {
  const batch = 8_189;
  const one = record({
    debit_account_id: '5',
    credit_account_id: '6',
    amount: '1',
    ledger: 1,
    code: 1,
  });
  await client.createAccounts(['5', '6'].map((of) => record({ id: of, ledger: 1, code: 1 })));
  for (let made = from; made < to; made += batch) {
    const size = Math.min(batch, to - made);
    const ids = Array.from({ length: size }, (_, index) => 10n ** 15n + BigInt(made + index));
    await client.createTransfers(ids.map((id) => ({ ...one, id })));
  }
}

/** `{"operation": "createTransfers", "events": […]}`: the official client's names, 64 and 128 bits wide integers as strings. */
async function answer(client, line) {
  const { operation, events } = JSON.parse(line);
  const whole = Array.isArray(events) ? events.map(record) : record(events);
  const rows = await client[operation](whole);
  const statuses = { createAccounts: CreateAccountStatus, createTransfers: CreateTransferStatus };
  const names = statuses[operation];
  const said = names === undefined ? rows : rows.map(({ status }) => names[status]);
  console.log(
    JSON.stringify(said, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
  );
}

/** What is left out is zero. */
function record(event) {
  if (typeof event === 'string') return BigInt(event);
  const wide = [
    'id',
    'debit_account_id',
    'credit_account_id',
    'amount',
    'pending_id',
    'account_id',
  ];
  const balances = ['debits_pending', 'debits_posted', 'credits_pending', 'credits_posted'];
  const rest = ['user_data_128', 'user_data_64', 'timestamp', 'timestamp_min', 'timestamp_max'];
  const bigs = [...wide, ...balances, ...rest].map((name) => [name, BigInt(event[name] ?? 0)]);
  const smalls = ['user_data_32', 'timeout', 'ledger', 'code', 'flags', 'reserved', 'limit'];
  return Object.fromEntries([...bigs, ...smalls.map((name) => [name, event[name] ?? 0])]);
}
