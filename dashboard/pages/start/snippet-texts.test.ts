import { equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { facesOf, rpcPath } from '../../app/faces.ts'
import { masked, snippetNames, snippetText } from './snippet-texts.ts'

const input = {
  rpcUrl: 'http://localhost:8545/v3/KEY',
  base: 'http://localhost:8545',
  key: 'KEY',
  secret: 'SECRET',
}

test('every snippet carries the address of this server, and those for files the secret too', () => {
  for (const name of snippetNames) ok(snippetText(name, input).includes('http://localhost:8545'))
  match(snippetText('curl', input), /KEY:SECRET/)
  match(snippetText('kubo-rpc-client', input), /KEY:SECRET/)
})

test('the faces are where the page came from, or at the port that the server names', () => {
  const page = { protocol: 'https:', hostname: 'cairn.example', port: '' }
  equal(facesOf(page, null).base, 'https://cairn.example')
  equal(facesOf(page, 8545).webSocketBase, 'wss://cairn.example:8545')
  equal(rpcPath(null, 'K'), '/v3/K')
  equal(rpcPath('mainnet', 'K'), '/mainnet/v3/K')
})

test('a key is shown by its beginning', () => {
  equal(masked('cairn_live_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1cTSrY'), 'cairn_live_AAAAA…')
  equal(masked('<API_KEY>'), '<API_KEY>')
})
