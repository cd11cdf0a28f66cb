import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { apiBasesOf, rpcPath } from '../../app/api-bases.ts'
import { masked, snippetNames, snippetText } from './snippet-texts.ts'

const input = {
  rpcUrl: 'http://localhost:8545/v3/KEY',
  base: 'http://localhost:8545',
  key: 'KEY',
  secret: 'SECRET',
}

test('every snippet contains the address of the server, and those for the IPFS API also the secret', () => {
  for (const name of snippetNames) ok(snippetText(name, input).includes('http://localhost:8545'))
  match(snippetText('curl', input), /KEY:SECRET/)
  match(snippetText('kubo-rpc-client', input), /KEY:SECRET/)
})

test('the APIs are on the listener of the dashboard, or on the port that the server reports', () => {
  const page = { protocol: 'https:', hostname: 'cairn.example', port: '' }
  equal(apiBasesOf(page, null).base, 'https://cairn.example')
  equal(apiBasesOf(page, 8545).webSocketBase, 'wss://cairn.example:8545')
  equal(rpcPath(null, 'K'), '/v3/K')
  equal(rpcPath('mainnet', 'K'), '/mainnet/v3/K')
})

test('only the start of a key is shown', () => {
  equal(masked('cairn_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1cTSrY'), 'cairn_live_AAAAA…')
  equal(masked('<API_KEY>'), '<API_KEY>')
})
