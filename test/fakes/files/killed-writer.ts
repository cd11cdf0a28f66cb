// A process for tests with kill -9: writes rows through the writer thread endlessly, and prints the name of each after its
// acknowledgement. Arguments: database path, round.
import { startThreadWriter } from '../../../src/db/thread-writer.ts'

const [path = '', round = ''] = process.argv.slice(2)
const writer = await startThreadWriter({ path })

async function writeForEver(lane: number): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `${round}-${lane}-${n}`
    await writer.write([
      { sql: 'INSERT INTO account (id, name, created) VALUES (?1, ?1, 0)', parameters: [name] },
    ])
    // Waits if the reader is slower than the writer.
    await new Promise((resolve) => process.stdout.write(`${name}\n`, resolve))
  }
}

await Promise.all(Array.from({ length: 8 }, (_, lane) => writeForEver(lane)))
