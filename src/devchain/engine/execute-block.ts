// Executes an existing block on its parent's state, as the library's runBlock does, and compares the result with the header.
// This module compares state, gas, blooms and requests; block-commit.ts the lists and their roots. The library would encode and
// hash every receipt again, each time in a temporary trie (decision 0028).
import type { Block } from '@ethereumjs/block'
import { ConsensusType, Hardfork } from '@ethereumjs/common'
import {
  bigIntToBytes,
  createAccount,
  createAddressFromString,
  setLengthLeft,
} from '@ethereumjs/util'
import type { Address } from '@ethereumjs/util'
import { runBlock, runTx } from '@ethereumjs/vm'
import type { TxReceipt } from '@ethereumjs/vm'
import { equalBytes, toHex } from '../../base/hex.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { changeAccounts, receiptOfChange, recordedChanges } from './change-accounts.ts'
import type { TrieStateVm } from './chain-vm.ts'
import { beaconRoots, blockHashes, endBlock } from '../../evm/simulate/system-calls.ts'

const nothing = new Uint8Array(0)
const beaconRootsAt = createAddressFromString(beaconRoots)
const blockHashesAt = createAddressFromString(blockHashes)
const bloomBytes = 256
const weiPerGwei = 1_000_000_000n

/**
 * `block`: the block of `header`, under its rules. Returns the receipts, whose root is not compared yet. If the result does not
 * match the header, throws and reverts the state.
 */
export async function executeBlock(
  machine: TrieStateVm,
  block: Block,
  header: Header,
): Promise<readonly TxReceipt[]> {
  const { vm, state } = machine
  const { number, timestamp } = header
  vm.common.setHardforkBy({ blockNumber: number, timestamp })
  // The block of the DAO fork moves balances of accounts that only the library lists (EIP-779).
  if (vm.common.hardforkBlock(Hardfork.Dao) === number) return runByLibrary(machine, block)
  const { journal } = vm.evm
  await journal.checkpoint()
  try {
    await noteParent(machine, header)
    const receipts = await runTransactions(machine, block, header)
    await pay(machine, block)
    if (vm.common.isActivatedEIP(7685)) {
      const logs = receipts.flatMap((receipt) =>
        receipt.logs.map(([address, topics, data]) => ({ address, topics, data })),
      )
      const actual = await endBlock(machine, block, logs, { checked: true })
      expectSame('requests', actual, header.requestsHash ?? nothing)
    }
    expectSame('accounts', await state.getStateRoot(), header.stateRoot)
    await journal.commit()
    return receipts
  } catch (error) {
    await journal.revert()
    throw error
  }
}

async function runByLibrary({ vm }: TrieStateVm, block: Block): Promise<readonly TxReceipt[]> {
  const { receipts } = await runBlock(vm, {
    block,
    skipBlockValidation: true,
    skipHeaderValidation: true,
    clearCache: false,
  })
  return receipts
}

/** Writes what the contracts of EIP-4788 and EIP-2935 write in their system calls. */
async function noteParent({ vm, state }: TrieStateVm, header: Header): Promise<void> {
  const { parentHash, parentBeaconBlockRoot, number, timestamp } = header
  const { common } = vm
  const put = (to: Address, slot: bigint, value: Uint8Array) =>
    state.putStorage(to, setLengthLeft(bigIntToBytes(slot), 32), value)
  if (common.isActivatedEIP(4788) && (await state.getCode(beaconRootsAt)).length > 0) {
    const ring = common.param('historicalRootsLength')
    await put(beaconRootsAt, timestamp % ring, bigIntToBytes(timestamp))
    await put(beaconRootsAt, (timestamp % ring) + ring, parentBeaconBlockRoot ?? nothing)
    await vm.evm.journal.cleanup()
  }
  if (common.isActivatedEIP(2935) && (await state.getCode(blockHashesAt)).length > 0) {
    await put(blockHashesAt, (number - 1n) % common.param('historyServeWindow'), parentHash)
    await vm.evm.journal.cleanup()
  }
}

async function runTransactions(
  machine: TrieStateVm,
  block: Block,
  header: Header,
): Promise<readonly TxReceipt[]> {
  const receipts: TxReceipt[] = []
  const logsBloom = new Uint8Array(bloomBytes)
  let gasUsed = 0n
  for (const tx of block.transactions) {
    const changes = recordedChanges(tx)
    if (changes !== null) {
      await changeAccounts(machine, changes)
      receipts.push(receiptOfChange(gasUsed))
      continue
    }
    if (tx.gasLimit + gasUsed > header.gasLimit) {
      throw new Error(`transaction ${receipts.length} may use more gas than is left`)
    }
    const result = await runTx(machine.vm, { tx, block, blockGasUsed: gasUsed })
    gasUsed += result.totalGasSpent
    receipts.push(result.receipt)
    for (let at = 0; at < bloomBytes; at += 1) {
      logsBloom[at] = (logsBloom[at] as number) | (result.receipt.bitvector[at] as number)
    }
  }
  if (gasUsed !== header.gasUsed) throw new Error(`it uses ${gasUsed} gas`)
  if (!equalBytes(logsBloom, header.logsBloom)) throw new Error('its logs give another bloom')
  return receipts
}

/** Withdrawals (EIP-4895), and block rewards before the merge (Yellow Paper 11.3). */
async function pay(machine: TrieStateVm, block: Block): Promise<void> {
  const { vm } = machine
  const { header, withdrawals, uncleHeaders } = block
  if (vm.common.isActivatedEIP(4895)) {
    for (const { address, amount } of withdrawals ?? []) {
      await credit(machine, address, amount * weiPerGwei)
    }
    await vm.evm.journal.cleanup()
  }
  if (vm.common.consensusType() !== ConsensusType.ProofOfWork) return
  const reward = vm.common.param('minerReward')
  for (const { number, coinbase } of uncleHeaders) {
    const eighths = 8n + number - header.number
    await credit(machine, coinbase, eighths > 0n ? (eighths * reward) / 8n : 0n)
  }
  await credit(machine, header.coinbase, reward + (reward / 32n) * BigInt(uncleHeaders.length))
}

async function credit({ vm, state }: TrieStateVm, address: Address, wei: bigint): Promise<void> {
  const account = (await state.getAccount(address)) ?? createAccount({})
  account.balance += wei
  await vm.evm.journal.putAccount(address, account)
}

function expectSame(name: string, actual: Uint8Array, expected: Uint8Array): void {
  if (!equalBytes(actual, expected))
    throw new Error(`its ${name} give ${toHex(actual)}, not ${toHex(expected)}`)
}
