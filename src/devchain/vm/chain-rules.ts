// The fork rules of a genesis, as the EVM wants them.
// Tested by src/devchain/vm/engine.test.ts
import { paramsBlock } from '@ethereumjs/block'
import { createCommonFromGethGenesis, Hardfork } from '@ethereumjs/common'
import type { Common, CustomCrypto } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsTx } from '@ethereumjs/tx'
import { paramsVM } from '@ethereumjs/vm'
import { toQuantity } from '../../base/hex.ts'
import type { Genesis, GenesisConfig } from '../genesis.ts'
import { isOpConfig, opForkAt, opKnownUntil } from '../op-config.ts'
import { type PrecompileChanges, opPrecompiles } from './precompiles/op-precompiles.ts'

/** A block's place in the fork schedule; `timestamp` in seconds. */
type ForkPoint = { readonly number: bigint; readonly timestamp: bigint }

export type ChainRules = {
  /** Fresh rules for a block: the caller may change them. */
  at(point: ForkPoint): Common
  /**
   * The rules for code that runs in a block, of which `common` are those at its number and time: with a difficulty it
   * is a block from before the merge, whatever forks begin at its time. A genesis may be both.
   */
  running(block: ForkPoint & { readonly difficulty: bigint }, common: Common): Common
  /** What the chain's own rules change in a block of that time (seconds); null: nothing. */
  precompilesAt(timestamp: bigint): PrecompileChanges | null
  /** They are those of the OP Stack. */
  readonly isOp: boolean
  /** From this block time (seconds) on the chain has rules that Cairn does not know; null: not as far as the schedule goes. */
  readonly knownUntil: bigint | null
}

export function createRules(genesis: Genesis, customCrypto: CustomCrypto): ChainRules {
  const { config, difficulty, gasLimit, nonce, timestamp } = genesis
  return createRulesOf(config, customCrypto, {
    difficulty: toQuantity(difficulty),
    gasLimit: toQuantity(gasLimit),
    nonce: `0x${nonce.toString(16).padStart(16, '0')}`,
    timestamp: toQuantity(timestamp),
  })
}

/** Where nothing is read of the first block. */
const anyFirstBlock = {
  difficulty: '0x0',
  gasLimit: '0x0',
  nonce: `0x${'0'.repeat(16)}`,
  timestamp: '0x0',
}

/** Of the `config` of a geth genesis file alone. */
export function createRulesOf(
  config: GenesisConfig,
  customCrypto: CustomCrypto,
  firstBlock: Readonly<Record<string, string>> = anyFirstBlock,
): ChainRules {
  const rules = createCommonFromGethGenesis(
    { config: { ...config, ...mergeOf(config) }, ...firstBlock, alloc: {} } as never,
    { customCrypto },
  )
  // Each library adds its own numbers only to rules it has seen.
  for (const params of [paramsBlock, paramsTx, paramsEVM, paramsVM]) rules.updateParams(params)
  rules.updateParams(blobCounts(config))
  // Each block, header and transaction would add the same numbers again, by way of JSON. Copies keep this.
  rules.updateParams = () => {}
  // The library puts this list together each time that an opcode asks which fork it is in. Copies keep this too.
  const forks = rules.hardforks()
  rules.hardforks = () => forks
  const at = ({ number, timestamp }: ForkPoint): Common => {
    const copy = rules.copy()
    try {
      copy.setHardforkBy({ blockNumber: number, timestamp })
    } catch {
      // A block that is only pretended may have an old number and a new time: forks by time need the others.
      copy.setHardforkBy({ blockNumber: number })
    }
    return copy
  }
  const isOp = isOpConfig(config)
  const merge = forks.findIndex(({ name }) => name === Hardfork.Paris)
  const beforeMerge = merge === -1 ? forks : forks.slice(0, merge)
  return {
    at,
    running(block, common) {
      if (block.difficulty === 0n || !common.gteHardfork(Hardfork.Paris)) return common
      const copy = common.copy()
      const last = beforeMerge.findLast(({ block: from }) => from !== null && from <= block.number)
      if (last !== undefined) copy.setHardfork(last.name)
      return copy
    },
    precompilesAt(timestamp) {
      const fork = isOp ? opForkAt(config, timestamp) : null
      return fork === null ? null : opPrecompiles(fork)
    },
    isOp,
    knownUntil: isOp ? opKnownUntil(config) : null,
  }
}

/** From the first fork that changes only these (EIP-7892) on, the library asks for them by these names. */
function blobCounts(config: GenesisConfig): Record<string, { target: number; max: number }> {
  const schedule = config['blobSchedule']
  const counts: Record<string, { target: number; max: number }> = {}
  for (const [fork, entry] of Object.entries(schedule ?? {})) {
    const { target, max } = entry as { readonly target?: unknown; readonly max?: unknown }
    if (typeof target === 'number' && typeof max === 'number') counts[fork] = { target, max }
  }
  return counts
}

/** The library finds a merge at the first block only by its own member, or by a later fork. */
function mergeOf({ terminalTotalDifficulty }: GenesisConfig): {
  terminalTotalDifficultyPassed?: true
} {
  const isMerged = terminalTotalDifficulty !== undefined && Number(terminalTotalDifficulty) === 0
  return isMerged ? { terminalTotalDifficultyPassed: true } : {}
}
