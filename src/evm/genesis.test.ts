import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import test from 'node:test'
import { HDNodeWallet, Mnemonic } from 'ethers'
import { toHex } from '../base/hex.ts'
import { verifyKeccakKinds } from '../codec/hash/verify-keccak.ts'
import { blobFeeFraction } from './blob-schedule.ts'
import { defaultGenesis } from '../devchain/default-genesis.ts'
import { devAccounts } from '../devchain/dev-accounts.ts'
import { buildFirstBlock } from '../devchain/first-block.ts'
import { BadGenesis, parseGenesis } from './genesis.ts'

const vectors = `${process.env['CAIRN_VECTORS'] ?? '../shared/vectors'}/rpc-compat/genesis.json`
const skip = existsSync(vectors)
  ? false
  : 'this compares with data of others, which is not here: set CAIRN_VECTORS to the folder of the vectors'

test('the default chain has one genesis hash everywhere', () => {
  const { hash, items } = buildFirstBlock(defaultGenesis)
  assert.equal(toHex(hash), '0xedac8db646a679172846e79a58f2dc30b11157b3d9d13b55462773af24a2ab6c')
  for (const { ref, bytes } of items) {
    if (ref.kind !== 'dag-block') verifyKeccakKinds({ ...ref, kind: ref.kind }, bytes)
  }
})

test('the development accounts are those of the well-known mnemonic', () => {
  const words = 'test test test test test test test test test test test junk'
  const mnemonic = Mnemonic.fromPhrase(words)
  devAccounts.forEach(({ address, privateKey }, index) => {
    const wallet = HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${index}`)
    assert.equal(wallet.address.toLowerCase(), address)
    assert.equal(wallet.privateKey, privateKey)
  })
  assert.equal(devAccounts.length, 10)
})

test('a genesis file that geth made gives the hash that geth gives it', { skip }, () => {
  const genesis = parseGenesis(JSON.parse(readFileSync(vectors, 'utf8')))
  const { hash } = buildFirstBlock(genesis)
  assert.equal(genesis.chainId, 3503995874084926n)
  assert.equal(toHex(hash), '0x44fd89d504659cd58f48f4796b77a7e7012cf296a2409afa2f6c3cb99b5b3d99')
})

test('the blob fee fraction follows the fork times', { skip }, () => {
  const { config } = parseGenesis(JSON.parse(readFileSync(vectors, 'utf8')))
  const at = (timestamp: bigint) => blobFeeFraction(config, timestamp)
  assert.deepEqual([419n, 420n, 450n, 509n, 510n, 540n].map(at), [
    null,
    3338477n,
    5007716n,
    5007716n,
    8346193n,
    11684671n,
  ])
  assert.equal(blobFeeFraction(defaultGenesis.config, defaultGenesis.timestamp), 5007716n)
})

test('a genesis that cannot be read is refused with the name of the member', () => {
  assert.throws(() => parseGenesis([]), BadGenesis)
  assert.throws(() => parseGenesis({ config: {} }), /config\.chainId/)
  const alloc = { '0x12': {} }
  assert.throws(
    () => parseGenesis({ config: { chainId: 1 }, gasLimit: '0x1', alloc }),
    /alloc 0x12 is not an address/,
  )
  assert.throws(
    () => parseGenesis({ config: { chainId: 1 }, gasLimit: 'lots', alloc: {} }),
    /gasLimit must be a quantity/,
  )
})
