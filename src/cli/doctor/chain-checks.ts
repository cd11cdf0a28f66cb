// Checks the embedded chain's files and the chain in the data folder.
// Tested by src/cli/doctor/doctor.test.ts
import { readFileSync } from 'node:fs'
import { equalBytes } from '../../base/hex.ts'
import { splitBlocks } from '../../codec/ethereum/block.ts'
import { decodeHeader } from '../../codec/ethereum/header.ts'
import { type Config, embeddedChain } from '../../config/settings.ts'
import type { Database } from '../../db/sqlite.ts'
import { openChainIndex } from '../../devchain/chain-index.ts'
import { forkMismatch, forkText, parseFork, readFork } from '../../devchain/fork/fork-point.ts'
import { findAnyChain } from '../../tables/chain.ts'
import { findContent } from '../../tables/content.ts'
import { defaultGenesis } from '../../devchain/default-genesis.ts'
import { buildFirstBlock } from '../../devchain/first-block.ts'
import { parseGenesis } from '../../evm/genesis.ts'
import type { Machine } from './machine.ts'
import { warning, problem, type Problem } from '../../server/network-checks/problem.ts'

const mib = 1024 * 1024
const genesisBytesMax = 64 * mib
// The import has the same limit.
const blocksBytesMax = 1024 * mib
/** How far a block may be ahead of the clock before the check reports the clock. */
const aheadSeconds = 15

type Chain = { readonly firstHash: Uint8Array | null; readonly problems: readonly Problem[] }

/** Checks the genesis and the blocks file. `firstHash`: hash of block 0, or null if the genesis is unusable. */
export function checkChainFiles(machine: Machine, config: Config): Chain {
  const chain = embeddedChain(config)
  // A fork has no genesis block.
  if (chain === null || chain.fork !== null) return { firstHash: null, problems: [] }
  const { genesisFile, blocksFile } = chain
  const first = readGenesis(machine, genesisFile)
  const problems = first instanceof Uint8Array ? [] : [first]
  const firstHash = first instanceof Uint8Array ? first : null
  const blocks = blocksFile === null ? [] : checkBlocks(machine, blocksFile, firstHash)
  return { firstHash, problems: [...problems, ...blocks] }
}

function readGenesis(machine: Machine, path: string | null): Uint8Array | Problem {
  if (path === null) return buildFirstBlock(defaultGenesis).hash
  const missing = 'set genesisFile to a genesis.json in the format of geth'
  const file = machine.findFile(path)
  if (file === null || file.kind !== 'file') {
    return problem('genesis_missing', `genesis file not found: ${path}`, missing)
  }
  if (file.bytes > genesisBytesMax) {
    return problem('genesis_long', `${path} is larger than ${genesisBytesMax} bytes`, missing)
  }
  try {
    return buildFirstBlock(parseGenesis(JSON.parse(readFileSync(path, 'utf8')))).hash
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const code = error instanceof SyntaxError ? 'genesis_no_json' : 'genesis_wrong'
    const text = error instanceof SyntaxError ? `${path} is not JSON: ${why}` : `${path}: ${why}`
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
  const fix = 'set blocksFile to a file of blocks exported by geth'
  if (file === null || file.kind !== 'file') {
    return [problem('blocks_missing', `blocks file not found: ${path}`, fix)]
  }
  if (file.bytes > blocksBytesMax) {
    return [problem('blocks_long', `${path} is larger than ${blocksBytesMax} bytes`, fix)]
  }
  let count = 0
  try {
    for (const { header } of splitBlocks(readFileSync(path))) {
      const { number, parentHash } = decodeHeader(header)
      if (number === 1n && firstHash !== null && !equalBytes(parentHash, firstHash)) {
        const text = `block 1 of ${path} does not follow the genesis block`
        return [
          problem(
            'blocks_of_other_chain',
            text,
            'use a genesis file and a blocks file of the same chain',
          ),
        ]
      }
      count += 1
    }
  } catch {
    const text = `${path} is truncated or contains other data: only ${count} blocks can be read`
    return [problem('blocks_cut', text, 'export or copy the file again')]
  }
  return count === 0 ? [problem('blocks_none', `${path} contains no block`, fix)] : []
}

/** Compares the stored chain with the genesis, the network's name and the clock. */
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
    const other = findAnyChain(db)
    if (other === null) return
    yield warning(
      'chain_renamed',
      `the embedded chain is named ${chain.name}, but the data folder contains the chain ${other}`,
      config.networks === null ? `chain: {name: ${other}}` : `name: ${other}`,
    )
    return
  }
  const fork = readFork(db, chain.name)
  const configured = chain.fork === null ? null : parseFork(chain.fork)
  const mismatch = fork === null ? null : forkMismatch(chain.name, fork, configured)
  if (fork === null && configured !== null) {
    yield problem(
      'fork_of_other_chain',
      `the chain ${chain.name} in the data folder is no fork, and the settings name fork: ${chain.fork}`,
      'remove the setting, or choose another folder with --data-dir',
    )
  } else if (fork !== null && mismatch !== null) {
    yield problem('fork_changed', mismatch, `fork: ${forkText(fork)}`)
  }
  const storedGenesis = fork === null ? index.hashOf(0n) : firstHash
  if (firstHash !== null && (storedGenesis === null || !equalBytes(storedGenesis, firstHash))) {
    yield problem(
      'genesis_changed',
      `the chain ${chain.name} in the data folder does not match the genesis file`,
      'use the genesis file that created the data folder, or choose another folder with --data-dir',
    )
  }
  const header = findContent(db, 'header', head.hash)
  if (header === null) {
    yield problem(
      'head_missing',
      `${chain.name}: the head block (${head.number}) is missing from the data folder`,
      'start the server, which returns to the last complete block; or restore a backup',
    )
    return
  }
  const ahead = Number(decodeHeader(header).timestamp) - machine.clock.now() / 1000
  if (ahead > aheadSeconds) {
    yield problem(
      'clock_behind',
      `the head block is ${Math.ceil(ahead)} s in the future: the system clock is or was wrong`,
      'timedatectl set-ntp true; date -u shows the time',
    )
  }
}
