// Why a figure falls short of its goal, by the figure's name in the report. docs/reference/benchmarks.md prints the cause
// beside each figure that is short; one that has none here stands as unexplained.

const wayIn =
  'profiled: of all processor time hashing takes a third, taking the body from the socket a fifth, looking for its boundary a fifteenth, copies a twentieth, making ready and collecting in V8 a tenth. The request thread has half of it all; nearly all is hashed in the thread of the writer, which shares its core with the client and the disk. The figure by processor time is the surer one on a busy machine'
const wayOut =
  'the disk is at work for nine tenths of the time, and takes one read after the other. On this virtual machine each stretch of a read buffer that lies together in physical memory costs it 2.5 us: it gives 1.0 GB/s into pages that lie one by one, 2.9 into huge pages, which Node has no way to ask for, and each start gets other memory. With the buffers in huge pages and nothing else changed the medians of three series were 0.67 to 0.73 (decision 0030). Of 1.1 s of processor time for a GiB hashing takes 0.6, writing to the loopback socket 0.25, reading past the cache 0.08, V8 compiling and collecting 0.1'
const perBlock =
  'profiled: on the request thread 5 us of some 7.5, of which naming takes 2.4, the rows of the index, which follow, 0.9, the copy into the log and remembering the place 1; the rest of the time it waits for the log or a processor. Two processors are nearly full: other threads take 6 us a block, SQLite and what feeds it 3.5, the system that takes the log into its cache 2 (decisions 0024, 0026, 0034)'
const perRead =
  'profiled: of 5 us hashing takes 2.3, reading from the cache of the system 1.6, the rest finding the place, memory and its collection. The blocks lie all over 250 MB, so each step meets memory that is in no cache of the processor; the hash alone has one block that is'
const storage = 'eth_getStorageAt'
const transaction = 'eth_getTransactionByBlockHashAndIndex'
const coldNodes =
  'profiled: a fifth goes to writing the answer to the socket, a sixth to reading the leaf from SQLite (decision 0015), a tenth to finding other nodes in memory, a seventh to Node taking the call from the socket; the rest is spread thin. A cached answer takes as much processor time as a bare node:http; the walk, the leaf and its hash come on top of it. anvil answers from memory about as fast as a bare node:http'
const renderings =
  'a round lasts a quarter of a second, so a pause that another program makes shows in its calls per second: processor time beside it is the surer figure. With `--keep` a start has forgotten the senders, and recovering one takes six times as long as all the rest'
const miss =
  'timed from the call to its answer, us: 21 until it is known that nobody here has the slot, 19 to the call of the upstream, 20 for the kernel to send that, 65 for the upstream and for waking up twice, 18 to read its reply as JSON, 12 to name and judge the nodes that were missing, 12 back to the answer, 20 for the kernel to send it; the rest of the proof is judged behind it, 15, for which the next call of a client on the same core waits (decision 0029). Of the parts of our own some 15 have gone since, and the thread stays awake for the reply, which saves 20 to 90 (decision 0032). The writes and the wakings are the kernel and the host of this virtual machine: the bare hop, which has them and reads no byte of the reply, adds 74 to 170 as the hour is. What is left is spread over some two hundred functions, each with cold caches, since between two calls the core runs other programs'
const cached =
  'profiled: of 14 us of processor time the kernel takes two fifths, nearly all of it writing the answer, Cairn and what it calls a quarter, the rest sockets and streams of Node (decision 0014) and collecting garbage'
const cachedAtRate = `${cached}; at this rate going to sleep and waking up come on top`
const shared =
  'measured: of each second the request thread gives 0.4 ms to writing usage and 0.1 to looking for changes of keys, and one to collecting garbage every third second. That meets one call of a thousand or two, and this figure is the tenth slowest: without the first two, in turns, it is the same. What is left is going to sleep and waking up on cores that others use, which the bare node:http beside it shows too: a busy machine gives a call that comes in such a moment up to 4 ms to somebody else'

const warmUp =
  'profiled: on a busy machine the thread of the EVM has not found and read its three hundred modules when the folder is open; a fifth to one block of 91 million gas and 10 MB of receipts; the rest runs in code that is not optimized yet'
const importing =
  'profiled: half goes to the EVM library, a quarter of that to its tries and RLP (decision 0021), a third to naming, checking and collecting what a block leaves, a tenth to collecting garbage; SQLite writes beside it on another core, which a busy machine does not have'

export const causes: Readonly<Record<string, string>> = {
  [`${storage}: first reads/s, ours / bare node:http`]: coldNodes,
  [`${storage}: first reads/s, ours / anvil`]: coldNodes,
  [`${transaction}: first reads/s, ours / bare node:http`]: renderings,
  [`${transaction}: first reads/s, ours / anvil`]: renderings,
  [`${storage}: CPU of nginx return 200 / ours`]: cached,
  [`${storage}: CPU of nginx POST cache / ours`]: cached,
  [`${transaction}: CPU of nginx return 200 / ours`]: cached,
  [`${transaction}: CPU of nginx POST cache / ours`]: cached,
  [`${storage}: CPU of nginx POST cache / ours at 20,000/s`]: cachedAtRate,
  [`${transaction}: CPU of nginx POST cache / ours at 20,000/s`]: cachedAtRate,
  'miss: added to the p50 of the same call': miss,
  'calls in batches':
    'profiled: a call takes more than the 2.5 us of processor time that the goal leaves; a sixth goes to finding kept answers, a seventh to parsing',
  'blocks/s, 54 blocks of all forks': warmUp,
  'blocks/s, 3000 blocks of a transfer': importing,
  'p99 of a cached call, 1 connection, 1000/s': shared,
  'p99 of a cached call, 64 connections, 2000/s': shared,
  'add, durable before the reply / sha256': wayIn,
  'cat, every block verified before it is sent / sha256': wayOut,
  'blocks of 4 KiB, durable / sha256 alone': perBlock,
  'blocks of 4 KiB, read and verified / sha256 alone': perRead,
  'p99 during / without':
    'traced: the collection takes a twentieth of the time while others write, in steps of a millisecond, of which one in seventy takes 5 to 15 ms. The rest is other programs on the same two cores',
  'CPU that a live view adds to a cached call':
    'profiled: a thousandth, a millisecond a second for all pages together; rounds of the same minutes differ by more than the goal, also in 24 pairs',
}
