// Import of a chain file: executes every block, compares every root, makes every block durable. One chain covers all forks and
// comes from another client, one consists of generated transfers.
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from '../../src/base/hex.ts'
import { runCli } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { writeChainFile } from '../data/chain-file.ts'
import { median, rounds } from '../measure.ts'

const transfers = 3000
const vectors = `${process.env['CAIRN_VECTORS'] ?? '../shared/vectors'}/rpc-compat`

export async function runImport({ report, calls }: Bench): Promise<void> {
  report.section('Importing a chain')
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-import-'))
  try {
    if (existsSync(vectors)) {
      const args = ['--genesis', `${vectors}/genesis.json`, '--head', `${vectors}/headfcu.json`]
      const rate = await importRate(folder, [...args, '--blocks', `${vectors}/chain.rlp`])
      report.figure('blocks/s, 54 blocks of all forks', rate, '', { atLeast: 80 })
    } else {
      report.note('no vectors folder: the chain of all forks was not imported')
    }
    const count = calls(transfers)
    const { path, head } = await writeChainFile(folder, count)
    const rate = await importRate(folder, ['--blocks', path, '--head', toHex(head)])
    report.figure(`blocks/s, ${count} blocks of a transfer`, rate, '', { atLeast: 300 })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Each round imports into a new folder in a new process; measured from the open folder to the last commit. */
async function importRate(folder: string, args: readonly string[]): Promise<number> {
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const dataDir = join(folder, 'data')
    const found = (await runCli(['chain', 'import', ...args, '--data-dir', dataDir, '--json'])) as {
      readonly added: number
      readonly seconds: number
    }
    rates.push(found.added / found.seconds)
    await rm(dataDir, { recursive: true })
  }
  return median(rates)
}
