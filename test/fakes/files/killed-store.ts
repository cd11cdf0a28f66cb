// A process for tests with kill -9: opens the store of a folder as a server does, checks every block that was acknowledged in
// earlier rounds, then commits single blocks endlessly and prints the number of each after its acknowledgement. Arguments: data
// folder, the first number of this round, and the numbers of earlier rounds that must exist, separated by commas.
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { systemClock } from '../../../src/base/clock.ts'
import { silentLog } from '../../../src/base/log.ts'
import { verifyDagBlock } from '../../../src/codec/ipld/verify-dag-block.ts'
import type { UnverifiedItem } from '../../../src/content/ref.ts'
import { openDatabase } from '../../../src/db/sqlite.ts'
import { startThreadWriter } from '../../../src/db/thread-writer.ts'
import { openStore } from '../../../src/server/open-content.ts'

const [dataDir = '', first = '0', wanted = ''] = process.argv.slice(2)
const lanes = 64
const path = join(dataDir, 'cairn.db')
const writer = await startThreadWriter({ path })
const store = await openStore({
  dataDir,
  database: openDatabase(path, { readOnly: true }),
  bytesDb: openDatabase(path, { readOnly: true }),
  writer,
  bytesMax: null,
  clock: systemClock,
  log: silentLog,
})

function blockAt(number: number): UnverifiedItem {
  const bytes = Buffer.alloc(1000 + (number % 3000), 7)
  bytes.writeUInt32LE(number)
  const multihash = new Uint8Array(34)
  multihash.set([0x12, 0x20])
  multihash.set(hash('sha256', bytes, 'buffer'), 2)
  return { ref: { kind: 'dag-block', hash: multihash }, bytes }
}

for (const number of wanted.split(',').filter((text) => text !== '')) {
  const { ref } = blockAt(Number(number))
  const bytes = store.peek(ref)
  if (bytes === null) throw new Error(`block ${number} is gone`)
  verifyDagBlock(ref.hash, bytes)
}
process.stdout.write('ready\n')

let next = Number(first)
async function commitForEver(): Promise<void> {
  for (;;) {
    const number = next++
    await store.put([blockAt(number)])
    // Waits if the reader is slower than the store.
    await new Promise((resolve) => process.stdout.write(`${number}\n`, resolve))
  }
}

await Promise.all(Array.from({ length: lanes }, commitForEver))
