// The header of a simulated block before execution: derived from its parent and the overrides.
// Tested by src/evm/simulate/simulate.test.ts
import { Hardfork } from '@ethereumjs/common'
import type { Common } from '@ethereumjs/common'
import {
  emptyRequestsHash,
  emptyTrieRoot,
  emptyUnclesHash,
} from '../../codec/ethereum/account-state.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { firstBaseFee, viewOverridden } from '../apply-overrides.ts'
import type { ChainRules } from '../chain-rules.ts'
import type { PlannedBlock } from './plan-blocks.ts'

export function draftHeader(
  parent: { readonly header: Header; readonly hash: Uint8Array },
  { number, timestamp, block }: PlannedBlock,
  options: { readonly common: Common; readonly rules: ChainRules; readonly validation: boolean },
): Header {
  const { common, rules, validation } = options
  const parentHeader = viewOverridden(parent.header, rules.at(parent.header), undefined).header
  const calculated = () =>
    parent.header.baseFeePerGas === undefined ? firstBaseFee : parentHeader.calcNextBaseFee()
  return {
    parentHash: parent.hash,
    unclesHash: emptyUnclesHash,
    miner: block.feeRecipient ?? parent.header.miner,
    stateRoot: emptyTrieRoot,
    transactionsRoot: emptyTrieRoot,
    receiptsRoot: emptyTrieRoot,
    logsBloom: new Uint8Array(256),
    difficulty: common.gteHardfork(Hardfork.Paris) ? 0n : parent.header.difficulty,
    number,
    gasLimit: block.gasLimit ?? parent.header.gasLimit,
    gasUsed: 0n,
    timestamp,
    extraData: new Uint8Array(0),
    mixHash: block.prevRandao ?? new Uint8Array(32),
    nonce: new Uint8Array(8),
    ...(common.isActivatedEIP(1559) && {
      // Without `validation` the base fee is 0, so that a call without a price can run.
      baseFeePerGas: block.baseFeePerGas ?? (validation ? calculated() : 0n),
    }),
    ...(common.isActivatedEIP(4895) && { withdrawalsRoot: emptyTrieRoot }),
    ...(common.isActivatedEIP(4844) && {
      blobGasUsed: 0n,
      excessBlobGas: parentHeader.calcNextExcessBlobGas(common),
      parentBeaconBlockRoot: block.beaconRoot ?? new Uint8Array(32),
    }),
    ...(common.isActivatedEIP(7685) && { requestsHash: emptyRequestsHash }),
  }
}
