import assert from 'node:assert/strict'
import test from 'node:test'
import { fromHex } from '../../base/hex.ts'
import { toChecksumAddress } from './checksum-address.ts'

test('addresses are spelled as EIP-55 spells them', () => {
  for (const address of [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  ]) {
    assert.equal(toChecksumAddress(fromHex(address)), address)
  }
})
