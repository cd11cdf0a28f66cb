import { equal, match, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { copyText, namesFor } from './copy-texts.ts'

const place = {
  rpcUrl: 'http://127.0.0.1:8545/dev/v3/<API_KEY>',
  base: 'http://127.0.0.1:8545',
  key: '<API_KEY>',
  secret: '<API_KEY_SECRET>',
}
const params = `["0x1",{"data":"it's"},"$(true)"]`
const call = { face: 'rpc', method: 'eth_call', params } as const

/** The arguments that a shell passes to curl. */
function argumentsOf(text: string): readonly string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${text}`
  return execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)
}

test('the curl command sends the recorded call when a shell runs it', () => {
  const sent = argumentsOf(copyText('curl', call, place))
  ok(sent.includes(place.rpcUrl))
  equal(sent.at(-1), `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${params}}`)
})

test('the code for ethers and viem contains the method and the params', () => {
  for (const name of ['ethers', 'viem'] as const) {
    const text = copyText(name, call, place)
    match(text, /"eth_call"/)
    ok(text.includes(place.rpcUrl))
    const list = text.slice(text.indexOf('['), text.lastIndexOf(']') + 1)
    equal(JSON.stringify(JSON.parse(list)), params)
  }
})

test('an IPFS command becomes a curl command with its arguments and options', () => {
  const command = { face: 'files', method: 'block/get', params: '["bafy",{"quiet":true}]' } as const
  equal(namesFor(command).join(), 'curl')
  const sent = argumentsOf(copyText('curl', command, place))
  equal(sent.at(-1), 'http://127.0.0.1:8545/api/v0/block/get?arg=bafy&quiet=true')
  ok(sent.includes('<API_KEY>:<API_KEY_SECRET>'))
})
