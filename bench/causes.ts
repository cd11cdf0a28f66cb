// Why a figure falls short of its goal, by the figure's name in the report. docs/benchmarks.md prints the cause
// beside each figure that is short; one that has none here stands as unexplained.

const doubleWrite =
  'content lives in SQLite: each byte is written to the log and again to the database (decision 0001)'
const rowReads = 'not profiled; blocks are read from SQLite one by one on the request thread'
const storage = 'eth_getStorageAt'
const transaction = 'eth_getTransactionByBlockHashAndIndex'
const coldNodes =
  'profiled: a fifth goes to reading trie nodes from SQLite one by one, a sixth to socket writes, a tenth to garbage collection'
const senders =
  'profiled: half goes to recovering the sender by secp256k1, an eighth to reading from SQLite'
const cached = 'profiled: almost half goes to socket writes, a fifth to garbage collection'
const shared =
  'not separated: other programs shared the cores, and the bare node:http beside it is over the goal too'

export const causes: Readonly<Record<string, string>> = {
  [`${storage}: first reads/s, ours / bare node:http`]: coldNodes,
  [`${storage}: first reads/s, ours / anvil`]: coldNodes,
  [`${transaction}: first reads/s, ours / bare node:http`]: senders,
  [`${transaction}: first reads/s, ours / anvil`]: senders,
  [`${storage}: CPU of nginx return 200 / ours`]: cached,
  [`${storage}: CPU of nginx POST cache / ours`]: cached,
  [`${transaction}: CPU of nginx return 200 / ours`]: cached,
  [`${transaction}: CPU of nginx POST cache / ours`]: cached,
  'calls in batches':
    'profiled: a call takes more than the 2.5 us of processor time that the goal leaves; a sixth goes to finding kept answers, a seventh to parsing',
  'p99 of a cached call, 1 connection, 1000/s': shared,
  'p99 of a cached call, 64 connections, 2000/s': shared,
  'add, durable before the reply / sha256': doubleWrite,
  'cat, every block verified before it is sent / sha256': rowReads,
}
