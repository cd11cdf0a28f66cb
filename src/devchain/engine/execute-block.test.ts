// import-blocks.test.ts compares the results of blocks of every fork with those of another client.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createAddressFromString } from '@ethereumjs/util'
import { runBlock } from '@ethereumjs/vm'
import { openChainDatabase } from '../../../test/fakes/chain-database.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { silentLog } from '../../base/log.ts'
import { joinBlock, splitBlocks } from '../../codec/ethereum/block.ts'
import { decodeHeader, encodeHeader, type Header } from '../../codec/ethereum/header.ts'
import { emptyRlpList } from '../../codec/ethereum/rlp.ts'
import { type Genesis, parseGenesis } from '../../evm/genesis.ts'
import { findStart } from '../start-point.ts'
import { viewBlock } from '../../evm/block-view.ts'
import { createCrypto } from '../../evm/chain-crypto.ts'
import { createRules } from '../../evm/chain-rules.ts'
import { createStateVm } from './chain-vm.ts'
import { Engine } from './engine.ts'
import { executeBlock } from './execute-block.ts'
import { endBlock } from '../../evm/simulate/system-calls.ts'
import { createTrieDatabase } from './trie-database.ts'

const folder = `${process.env['CAIRN_VECTORS'] ?? '../shared/vectors'}/rpc-compat`
const skip = existsSync(folder)
  ? false
  : 'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors'
const recorded = () => parseGenesis(JSON.parse(readFileSync(`${folder}/genesis.json`, 'utf8')))

/** A chain at its first block, and machines on the state after it. */
async function open(t: TestContext, genesis: Genesis) {
  const { store, index, folder: scratch, log } = openChainDatabase(t)
  const shared = { network: 'test', genesis, store, index }
  const place = await findStart({ ...shared, log })
  const first = decodeHeader(store.peek({ kind: 'header', hash: place.hash }) ?? assert.fail())
  const rules = createRules(genesis, createCrypto())
  return {
    index,
    scratch,
    first,
    rules,
    openEngine: () =>
      Engine.open({
        ...shared,
        mining: 'off',
        now: () => 0,
        onBlock: () => {},
        onPending: () => {},
        log: silentLog,
      }),
    openMachine: (header: Header) =>
      createStateVm({
        common: rules.at(header),
        tries: createTrieDatabase(store),
        index,
        stateRoot: first.stateRoot,
      }),
  }
}

const mainnetDeposits = '0x00000000219ab540356cbb839cbe05303d7705fa'

const flipped = (bytes: Uint8Array): Uint8Array =>
  bytes.map((byte, at) => (at === 7 ? ~byte : byte))

const lies: Readonly<Record<string, (header: Header) => Partial<Header>>> = {
  'its state': ({ stateRoot }) => ({ stateRoot: flipped(stateRoot) }),
  'its receipts': ({ receiptsRoot }) => ({ receiptsRoot: flipped(receiptsRoot) }),
  'its transactions': ({ transactionsRoot }) => ({ transactionsRoot: flipped(transactionsRoot) }),
  'its blooms': ({ logsBloom }) => ({ logsBloom: flipped(logsBloom) }),
  'the gas it used': ({ gasUsed }) => ({ gasUsed: gasUsed + 1n }),
  'less gas than it used': ({ gasUsed }) => ({ gasLimit: gasUsed - 1n }),
  'less gas than it might have used': ({ gasUsed }) => ({ gasLimit: gasUsed }),
  'its requests': ({ requestsHash }) => ({ requestsHash: flipped(requestsHash ?? assert.fail()) }),
  'no requests': () => ({ requestsHash: undefined }) as unknown as Partial<Header>,
}

test(
  'a block whose header lies about what it comes to is refused, and the true one follows',
  { skip },
  async (t) => {
    const { openEngine, index, scratch } = await open(t, recorded())
    const engine = await openEngine()
    const blocks = [...splitBlocks(readFileSync(`${folder}/chain.rlp`))]
    const last = blocks.pop() ?? assert.fail()
    const path = join(scratch, 'lie.rlp')
    for (const [name, lie] of Object.entries(lies)) {
      const header = decodeHeader(last.header)
      const false_ = { ...last, header: encodeHeader({ ...header, ...lie(header) }) }
      writeFileSync(path, Buffer.concat([...blocks, false_].map(joinBlock)))
      await assert.rejects(engine.importFile(path), { name: 'BadBlock' }, name)
      assert.equal(index.head()?.number, 53n, name)
    }
    assert.equal(await engine.importFile(`${folder}/chain.rlp`), 1)
  },
)

test('the block that undoes the theft of 2016 moves balances as the library does (EIP-779)', async (t) => {
  const victim = '0x304a554a310c7e546dfe434669c62820b7d83490'
  const genesis = parseGenesis({
    config: { chainId: 7, homesteadBlock: 0, daoForkBlock: 1, daoForkSupport: true },
    difficulty: '0x1',
    gasLimit: '0x1000000',
    alloc: { [victim]: { balance: '0x64' } },
  })
  const { first, rules, openMachine } = await open(t, genesis)
  const draft: Header = {
    ...first,
    number: 1n,
    timestamp: first.timestamp + 1n,
    extraData: new TextEncoder().encode('dao-hard-fork'),
  }
  const lists = { transactions: emptyRlpList, uncles: emptyRlpList, withdrawals: null }
  const blockOf = (header: Header) =>
    viewBlock({ header: encodeHeader(header), ...lists }, rules.at(header))
  const skipped = { skipBlockValidation: true, skipHeaderValidation: true, generate: true }
  const other = await openMachine(draft)
  const { stateRoot } = await runBlock(other.vm, { block: blockOf(draft), ...skipped })
  const header = { ...draft, stateRoot }
  const machine = await openMachine(header)
  await executeBlock(machine, blockOf(header), header)
  const balance = async (name: string) =>
    (await machine.state.getAccount(createAddressFromString(name)))?.balance
  assert.equal(await balance('0xbf4ed7b27f1d666546e30d74d50d173d20bca754'), 100n)
})

test(
  'a deposit whose parts lie elsewhere than they must spoils its block, and no simulation',
  { skip },
  async (t) => {
    const genesis = recorded()
    const { rules, openMachine } = await open(t, genesis)
    const blocks = [...splitBlocks(readFileSync(`${folder}/chain.rlp`))]
    const parts = blocks.at(-1) ?? assert.fail()
    const header = decodeHeader(parts.header)
    const machine = await openMachine(header)
    const block = viewBlock(parts, rules.at(header))
    const { depositContractAddress: contract = mainnetDeposits } = genesis.config as {
      depositContractAddress?: string
    }
    const words = new Map([
      [0, 160],
      [32, 256],
      [64, 320],
      [96, 384],
      [128, 512],
      [160, 48],
      [256, 32],
      [320, 8],
      [384, 96],
      [512, 8],
    ])
    const data = new Uint8Array(576)
    for (const [at, value] of words) new DataView(data.buffer).setUint32(at + 28, value)
    const logOf = (bytes: Uint8Array) => ({
      address: fromHex(contract),
      topics: [fromHex('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')],
      data: bytes,
    })
    const hashOf = async (bytes: Uint8Array, checked: boolean) =>
      toHex(await endBlock(machine, block, [logOf(bytes)], { checked }))
    const wanted = await hashOf(data, false)
    assert.equal(await hashOf(data, true), wanted)
    for (const at of words.keys()) {
      for (const place of [at, at + 30, at + 31]) {
        const moved = data.slice()
        moved[place] = (moved[place] ?? 0) + 1
        await assert.rejects(hashOf(moved, true), { code: 'execution_failed' })
        assert.equal(await hashOf(moved, false), wanted)
      }
    }
  },
)
