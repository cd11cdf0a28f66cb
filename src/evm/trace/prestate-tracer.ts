// `prestateTracer`: the accounts that a transaction touches in their state before it, or with `diffMode` its changes
// (go-ethereum eth/tracers/native/prestate.go).
// Tested by src/devchain/engine/trace.test.ts
import { Address, createAddressFromString, generateAddress2 } from '@ethereumjs/util'
import { fromHex, toBareHex, toHex, toQuantity } from '../../base/hex.ts'
import { emptyCodeHash } from '../../codec/ethereum/account-state.ts'
import { keccak256 } from '../../codec/hash/keccak.ts'
import { contractAddress } from '../../codec/ethereum/sender.ts'
import type { PrestateOptions } from '../../chain/computation.ts'
import { authoritiesOf } from '../authorities.ts'
import type { StateVm } from '../vm-over-state.ts'
import { callOpcodes, addressOpcodes, opcodes, readMemory, watchCharged } from '../watch-opcodes.ts'
import type { Frame } from '../watch-opcodes.ts'
import type { TraceBudget, Tracer } from './tracer.ts'

type Account = {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: string
  /** Null if the account has no code. */
  readonly codeHash: string | null
}

/** A touched account in its original state. `storage`: slot to word, both `0x` and 64 digits. */
type TouchedAccount = Account & { readonly address: Address; readonly storage: Map<string, string> }

/** Members in go-ethereum's order. */
type AccountJson = {
  readonly balance?: string
  readonly code?: string
  readonly codeHash?: string
  readonly nonce?: number
  readonly storage?: Readonly<Record<string, string>>
}

const zeroWord = `0x${'0'.repeat(64)}`
const accountBytes = 160
const slotBytes = 140

export function createPrestateTracer(
  options: PrestateOptions,
  machine: StateVm,
  budget: TraceBudget,
): Tracer {
  const { state, vm } = machine
  let active = false
  let touched = new Map<string, TouchedAccount>()
  let created = new Set<string>()
  let destroyed = new Set<string>()

  // The tracer is called before each change of an account, so the first read returns the original state.
  async function touch(address: Address): Promise<TouchedAccount> {
    const name = address.toString()
    const existing = touched.get(name)
    if (existing !== undefined) return existing
    const found = { ...(await read(address)), address, storage: new Map<string, string>() }
    touched.set(name, found)
    budget.add(accountBytes + found.code.length)
    return found
  }

  /** Touches the account and, if it delegates (EIP-7702), the account whose code runs. */
  async function touchRun(address: Address): Promise<void> {
    await touch(address)
    const code = await state.getCode(address)
    if (toHex(code.subarray(0, 3)) !== '0xef0100') return
    await touch(createAddressFromString(toHex(code.subarray(3))))
  }

  async function touchNew(address: Address): Promise<void> {
    created.add(address.toString())
    await touch(address)
  }

  async function read(address: Address): Promise<Account> {
    const account = await state.getAccount(address)
    const code = await state.getCode(address)
    return {
      balance: account?.balance ?? 0n,
      nonce: account?.nonce ?? 0n,
      code: toHex(code),
      codeHash: code.length === 0 ? null : toHex(keccak256(code)),
    }
  }

  async function readSlot(address: Address, slot: string): Promise<string> {
    return `0x${toBareHex(await state.getStorage(address, fromHex(slot))).padStart(64, '0')}`
  }

  watchCharged(vm, addressOpcodes, async (opcode, { stack, env }) => {
    if (!active || stack.length < 1) return
    await touch(addressOf(stack.peek(1)[0] ?? 0n))
    if (opcode !== opcodes.selfDestruct) return
    // EIP-6780: SELFDESTRUCT deletes only contracts that the same transaction created.
    const name = env.address.toString()
    if (!vm.common.isActivatedEIP(6780) || created.has(name)) destroyed.add(name)
  })
  watchCharged(vm, callOpcodes, async (_, { stack }) => {
    if (active && stack.length >= 5) await touchRun(addressOf(stack.peek(2)[1] ?? 0n))
  })
  watchCharged(vm, [opcodes.sload, opcodes.sstore], async (_, { stack, env: { address } }) => {
    if (!active || stack.length < 1 || options.disableStorage) return
    const { storage } = await touch(address)
    const slot = `0x${(stack.peek(1)[0] ?? 0n).toString(16).padStart(64, '0')}`
    if (storage.has(slot)) return
    storage.set(slot, await readSlot(address, slot))
    budget.add(slotBytes)
  })
  watchCharged(vm, [opcodes.create, opcodes.create2], async (opcode, frame) => {
    const address = active ? await createdBy(opcode, frame) : null
    if (address !== null) await touchNew(address)
  })

  /** The address of the contract to be created; null if the operands are invalid. */
  async function createdBy(opcode: number, frame: Frame): Promise<Address | null> {
    const {
      stack,
      env: { address },
    } = frame
    if (opcode === opcodes.create) {
      const nonce = (await state.getAccount(address))?.nonce ?? 0n
      return createAddressFromString(toHex(contractAddress(address.bytes, nonce)))
    }
    if (stack.length < 4) return null
    const [, offset = 0n, size = 0n, salt = 0n] = stack.peek(4)
    const code = readMemory(frame, offset, size)
    const seed = fromHex(`0x${salt.toString(16).padStart(64, '0')}`)
    return code === null ? null : new Address(generateAddress2(address.bytes, seed, code))
  }

  return {
    async begin({ transaction, block }) {
      touched = new Map()
      created = new Set()
      destroyed = new Set()
      const from = transaction.getSenderAddress()
      if (transaction.to === undefined) {
        const nonce = (await state.getAccount(from))?.nonce ?? 0n
        await touchNew(createAddressFromString(toHex(contractAddress(from.bytes, nonce))))
      } else await touchRun(transaction.to)
      await touch(from)
      await touch(block.header.coinbase)
      for (const authority of authoritiesOf(transaction)) await touch(authority)
      active = true
    },
    async end() {
      active = false
      return options.diffMode ? await diff() : prestate()
    },
  }

  function prestate(): Readonly<Record<string, AccountJson>> {
    const shown = [...touched].filter(([, was]) => options.includeEmpty || !isEmpty(was))
    return Object.fromEntries(shown.map(([name, was]) => [name, show(was)]))
  }

  async function diff() {
    const pre: Record<string, AccountJson> = {}
    const post: Record<string, AccountJson> = {}
    for (const [name, was] of touched) {
      if (!destroyed.has(name)) {
        const { before, after } = await changeOf(was)
        if (after === null) continue
        post[name] = after
        if (!isEmpty(was)) pre[name] = show({ ...was, storage: before })
      } else if (!isEmpty(was)) pre[name] = show(was)
    }
    return { post, pre }
  }

  /** `before`: changed slots with a nonzero original value. `after`: null if nothing has changed. */
  async function changeOf(was: TouchedAccount) {
    const now = await read(was.address)
    const before = new Map<string, string>()
    const storage = new Map<string, string>()
    let changed = false
    for (const [slot, word] of was.storage) {
      const after = await readSlot(was.address, slot)
      if (after === word) continue
      changed = true
      if (word !== zeroWord) before.set(slot, word)
      if (after !== zeroWord) storage.set(slot, after)
    }
    const sameCode = now.code === was.code
    const after: AccountJson = {
      ...(now.balance === was.balance ? {} : { balance: toQuantity(now.balance) }),
      ...(sameCode || options.disableCode ? {} : { code: now.code }),
      ...(sameCode ? {} : { codeHash: now.codeHash ?? toHex(emptyCodeHash) }),
      ...(now.nonce === was.nonce ? {} : { nonce: Number(now.nonce) }),
      ...storageOf(storage),
    }
    return { before, after: changed || Object.keys(after).length > 0 ? after : null }
  }

  function show({ balance, nonce, code, codeHash, storage }: TouchedAccount): AccountJson {
    return {
      balance: toQuantity(balance),
      ...(codeHash === null || options.disableCode ? {} : { code }),
      ...(codeHash === null ? {} : { codeHash }),
      ...(nonce === 0n ? {} : { nonce: Number(nonce) }),
      ...storageOf(storage),
    }
  }
}

function storageOf(storage: ReadonlyMap<string, string>): AccountJson {
  return storage.size === 0 ? {} : { storage: Object.fromEntries(storage) }
}

function isEmpty({ balance, nonce, codeHash }: Account): boolean {
  return balance === 0n && nonce === 0n && codeHash === null
}

function addressOf(word: bigint): Address {
  return createAddressFromString(`0x${word.toString(16).padStart(64, '0').slice(24)}`)
}
