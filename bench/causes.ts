// Causes of missed goals, by the name of the figure in the report. docs/reference/benchmarks.md prints them next to the figure.

const wayIn =
  'profiled: of the processor time, hashing takes 33 %, reading the body from the socket 20 %, the search for its boundary 7 %, copies 5 %, and compilation and garbage collection in V8 10 %. The request thread uses half of the time. The writer thread does nearly all of the hashing, and shares its core with the client and the disk. On a busy machine, the figure by processor time is more accurate'
const wayOut =
  'the disk is busy for 90 % of the time, and reads sequentially. On this virtual machine, each physically contiguous part of a read buffer costs 2.5 us: the disk reads 1.0 GB/s into scattered pages and 2.9 GB/s into huge pages. Node cannot request huge pages, and each start gets different memory. With huge pages and no other change, the medians of three series were 0.67 to 0.73 (decision 0030). Of 1.1 s of processor time per GiB, hashing takes 0.6 s, writes to the loopback socket 0.25 s, direct reads 0.08 s, and compilation and garbage collection in V8 0.1 s'
const perBlock =
  'profiled: the request thread uses 5 us of about 7.5 us per block: hashing 2.4, index rows 0.9, the copy into the log and the cached location 1. For the rest it waits for the log or a processor. Both processors are nearly saturated: other threads use 6 us per block, of which SQLite and its input take 3.5, and the page cache of the log 2 (decisions 0024, 0026, 0034)'
const perRead =
  'profiled: of 5 us, hashing takes 2.3, reading from the page cache 1.6, and the lookup of the location, memory and garbage collection the rest. The blocks are spread over 250 MB, so each step misses the processor caches; the hash alone runs on one cached block'
const storage = 'eth_getStorageAt'
const transaction = 'eth_getTransactionByBlockHashAndIndex'
const coldNodes =
  'profiled: writing the reply to the socket takes 20 %, reading the leaf from SQLite 17 % (decision 0015), finding other nodes in memory 10 %, and reading the call from the socket 14 %; the rest is spread over many functions. A cached answer uses as much processor time as bare node:http; the walk, the leaf and its hash are additional. anvil replies from memory about as fast as bare node:http'
const renderings =
  'a round lasts 0.25 s, so a pause caused by another program affects its calls per second: processor time is more accurate. With `--keep`, a start has no cached senders, and recovering one takes six times as long as all other work'
const cached =
  'profiled: of 14 us of processor time, the kernel takes 40 %, nearly all of it to write the reply, and Cairn 25 %; the rest is sockets and streams of Node (decision 0014) and garbage collection'
const cachedAtRate = `${cached}; at this rate, sleep and wake-up of the thread are additional`
const shared =
  'measured: per second, the request thread uses 0.4 ms to write usage and 0.1 ms to check for changed keys, and 1 ms for garbage collection every third second. This affects one or two calls of a thousand; an A/B run without the first two gives the same figure. The rest is sleep and wake-up on shared cores, which bare node:http shows too: on a busy machine, such a call waits up to 4 ms for another program'

const warmUp =
  'profiled: on a busy machine, the EVM thread is still loading its 300 modules when the folder is open; one block of 91 million gas and 10 MB of receipts takes 20 %; the rest runs in code that is not optimized yet'
const importing =
  'profiled: the EVM library takes 50 %, a quarter of it for tries and RLP (decision 0021); hashing, checking and storing the results of a block 33 %; garbage collection 10 %. SQLite writes in parallel on another core, which a busy machine does not have'

const throughBucket =
  'profiled on a busy machine: of the request thread, CRC32 of the parts takes 10 to 17 %, hashing of leaves 11 %, writes to the service 8 to 15 % and copies 8 %. Beyond the bare client, Cairn reads the body from a socket, searches its boundary, copies each byte once more and hashes it for the CID. The hash thread takes SHA-256 of the parts, which needs a free core'

const coldCalls =
  'the bare prover, which only sends the same requests, hashes the nodes and runs the EVM of the library, exceeds it too (decision 0100). One at a time, a call uses more than eight at a time: its steps wait 20 ms for the upstream, and each begins with cold processor caches'
const servedBlocks =
  'profiled: of the network process, encryption and writes to TCP take 31 %, garbage collection 14 %, libp2p, Bitswap, frames and copies the rest. It runs at a lower priority than Kubo, and the server needs three processes for a block, so the ratio falls on a busy machine: at a load of 3.8 it was 0.69'
const fetchedBlocks =
  'profiled: of the network process, Noise in JavaScript takes 23 %, sha256 and CIDs 13 %, writes to the server 8 %, garbage collection 7 %. It runs at a lower priority than Kubo, so the ratio falls on a busy machine: at a load of 3.8 it was 0.68'
const fairness =
  'the cold calls use half a core beside the reads, half of it in the thread that answers them; the load on the upstream alone has no such part. Runs within one hour gave 0.95 to 1.20 (decision 0099)'

export const causes: Readonly<Record<string, string>> = {
  [`${storage}: first reads/s, Cairn / bare node:http`]: coldNodes,
  [`${storage}: first reads/s, Cairn / anvil`]: coldNodes,
  [`${transaction}: first reads/s, Cairn / bare node:http`]: renderings,
  [`${transaction}: first reads/s, Cairn / anvil`]: renderings,
  [`${storage}: CPU of nginx return 200 / Cairn`]: cached,
  [`${storage}: CPU of nginx POST cache / Cairn`]: cached,
  [`${transaction}: CPU of nginx return 200 / Cairn`]: cached,
  [`${transaction}: CPU of nginx POST cache / Cairn`]: cached,
  [`${storage}: CPU of nginx POST cache / Cairn at 20,000/s`]: cachedAtRate,
  [`${transaction}: CPU of nginx POST cache / Cairn at 20,000/s`]: cachedAtRate,
  'calls in batches':
    'profiled: a call uses more than the 2.5 us of processor time that the goal permits; the answer cache takes 17 %, parsing 14 %',
  'blocks/s, 54 blocks of all forks': warmUp,
  'blocks/s, 3000 blocks of a transfer': importing,
  'p99 of a cached call, 1 connection, 1000/s': shared,
  'p99 of a cached call, 64 connections, 2000/s': shared,
  'add, durable before the reply / sha256': wayIn,
  'cat, each block verified before it is sent / sha256': wayOut,
  'blocks of 4 KiB, durable / sha256 alone': perBlock,
  'blocks of 4 KiB, read and verified / sha256 alone': perRead,
  'bucket: add, Cairn / bare S3 client': throughBucket,
  '31 slots, cold: CPU of Cairn': coldCalls,
  '31 slots, cold, 8 at a time: CPU of Cairn': coldCalls,
  'p99 during / without':
    'traced: the collection uses 5 % of the time while others write, in steps of 1 ms, of which one in 70 takes 5 to 15 ms. The rest is other programs on the same two cores',
  'Cairn to Kubo / Kubo to Kubo': servedBlocks,
  'Kubo to Cairn / Kubo to Kubo': fetchedBlocks,
  'CPU that a live view adds to a cached call':
    'profiled: 0.1 %, or 1 ms per second for all pages together; rounds within the same minutes differ by more than the goal, even in 24 pairs',
  'p99 of cached reads: cold calls / load on the upstream': fairness,
}
