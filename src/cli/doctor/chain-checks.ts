// The embedded chain's files and what the data folder holds of it.
// Tested by src/cli/doctor/doctor.test.ts
import { readFileSync } from 'node:fs'
import { equalBytes } from '../../base/hex.ts'
import { splitBlocks } from '../../codec/block.ts'
import { decodeHeader } from '../../codec/header.ts'
import { type Config, embeddedChain } from '../../config/settings.ts'
import type { Database } from '../../db/sqlite.ts'
import { openChainIndex } from '../../ethereum/embedded/chain-index.ts'
import { defaultGenesis } from '../../ethereum/embedded/default-genesis.ts'
import { buildFirstBlock } from '../../ethereum/embedded/first-block.ts'
import { parseGenesis } from '../../ethereum/embedded/genesis.ts'
import type { Machine } from './machine.ts'
import { advice, problem, type Problem } from './problem.ts'

const mib = 1024 * 1024
const genesisBytesMax = 64 * mib
// As the import has it.
const blocksBytesMax = 1024 * mib
/** How far a block may lie ahead of the clock before the clock is doubted. */
const aheadSeconds = 15

type Chain = { readonly firstHash: Uint8Array | null; readonly problems: readonly Problem[] }

/** The genesis and the blocks file. `firstHash`: of block 0, or null when the genesis cannot be used. */
export function checkChainFiles(machine: Machine, config: Config): Chain {
  const chain = embeddedChain(config)
  if (chain === null) return { firstHash: null, problems: [] }
  const { genesisFile, blocksFile } = chain
  const first = readGenesis(machine, genesisFile)
  const problems = first instanceof Uint8Array ? [] : [first]
  const firstHash = first instanceof Uint8Array ? first : null
  const blocks = blocksFile === null ? [] : checkBlocks(machine, blocksFile, firstHash)
  return { firstHash, problems: [...problems, ...blocks] }
}

function readGenesis(machine: Machine, path: string | null): Uint8Array | Problem {
  if (path === null) return buildFirstBlock(defaultGenesis).hash
  const missing = 'genesisFile must name a genesis.json as geth reads it'
  const file = machine.findFile(path)
  if (file === null || file.kind !== 'file') {
    return problem('genesis_missing', `there is no genesis file ${path}`, missing)
  }
  if (file.bytes > genesisBytesMax) {
    return problem('genesis_long', `${path} is longer than ${genesisBytesMax} bytes`, missing)
  }
  try {
    return buildFirstBlock(parseGenesis(JSON.parse(readFileSync(path, 'utf8')))).hash
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const code = error instanceof SyntaxError ? 'genesis_no_json' : 'genesis_wrong'
    const text = error instanceof SyntaxError ? `${path} is no JSON: ${why}` : `${path}: ${why}`
    return problem(
      code,
      text,
      error instanceof SyntaxError
        ? `node -p 'JSON.parse(fs.readFileSync("${path}"))' shows where`
        : missing,
    )
  }
}

function checkBlocks(
  machine: Machine,
  path: string,
  firstHash: Uint8Array | null,
): readonly Problem[] {
  const file = machine.findFile(path)
  const fix = 'blocksFile must name blocks as geth exports them'
  if (file === null || file.kind !== 'file') {
    return [problem('blocks_missing', `there is no blocks file ${path}`, fix)]
  }
  if (file.bytes > blocksBytesMax) {
    return [problem('blocks_long', `${path} is longer than ${blocksBytesMax} bytes`, fix)]
  }
  let count = 0
  try {
    for (const { header } of splitBlocks(readFileSync(path))) {
      const { number, parentHash } = decodeHeader(header)
      if (number === 1n && firstHash !== null && !equalBytes(parentHash, firstHash)) {
        const text = `block 1 of ${path} does not follow the first block of the genesis`
        return [
          problem('blocks_of_other_chain', text, 'use the genesis and the blocks of one chain'),
        ]
      }
      count += 1
    }
  } catch {
    const text = `${path} is cut off or no blocks: ${count} blocks can be read, and then no more`
    return [problem('blocks_cut', text, 'export or copy the file again')]
  }
  return count === 0 ? [problem('blocks_none', `${path} holds no block`, fix)] : []
}

/** What the data folder holds against the genesis, the network's name and the clock. */
export function* checkStoredChain(
  db: Database,
  machine: Machine,
  config: Config,
  firstHash: Uint8Array | null,
): Generator<Problem> {
  const chain = embeddedChain(config)
  if (chain === null) return
  const index = openChainIndex(db, chain.name)
  const head = index.head()
  if (head === null) {
    const others = db.all<{ network: string }>('SELECT network FROM chain_head LIMIT 10')
    const [other] = others
    if (other === undefined) return
    yield advice(
      'chain_renamed',
      `the embedded chain is named ${chain.name}, and the data folder holds the chain ${other.network}, which is not served`,
      config.networks === null ? `chain: {name: ${other.network}}` : `name: ${other.network}`,
    )
    return
  }
  const kept = index.hashOf(0n)
  if (firstHash !== null && (kept === null || !equalBytes(kept, firstHash))) {
    yield problem(
      'genesis_changed',
      `the data folder holds another chain for the network ${chain.name} than the genesis describes`,
      'use the genesis that the folder was made with, or another data folder: --data-dir',
    )
  }
  const row = db.get<{ bytes: Uint8Array }>(
    `SELECT body.bytes AS bytes FROM content JOIN body ON body.id = content.body
      WHERE content.kind = 'header' AND content.hash = ?`,
    [head.hash],
  )
  if (row === null) {
    yield problem(
      'head_missing',
      `the newest block of ${chain.name} (${head.number}) is not in the data folder`,
      'cairn start goes back to the last complete block; or restore a copy',
    )
    return
  }
  const ahead = Number(decodeHeader(row.bytes).timestamp) - machine.clock.now() / 1000
  if (ahead > aheadSeconds) {
    yield problem(
      'clock_behind',
      `the newest block is ${Math.ceil(ahead)} s in the future: the clock of this machine is wrong, or was`,
      'timedatectl set-ntp true; date -u shows the time',
    )
  }
}
