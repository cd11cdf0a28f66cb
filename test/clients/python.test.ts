// Python's requests against a started server, following the steps of the vendor's documentation for an upload.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { missingPython, run } from '../fakes/programs.ts'
import { type Started, startCairn } from '../started-server.ts'

const missing = missingPython()
let cairn: Started

before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

// The CID is extracted by splitting the reply at commas and colons, as in the documented script.
const upload = `
import os, requests
api = os.environ['CAIRN_URL'] + '/api/v0/'
auth = (os.environ['CAIRN_KEY'], os.environ['CAIRN_SECRET'])
added = requests.post(api + 'add', files={'file': 'myNFT.png'}, auth=auth)
cid = added.text.split(',')[1].split(':')[1].replace('"', '')
params = {'arg': cid}
print(added.text, end='')
print(requests.post(api + 'cat', params=params, auth=auth).text)
print(requests.post(api + 'pin/rm', params=params, auth=auth).json())
`

test('the documented flow uploads, reads and unpins', async (t) => {
  if (missing !== null) return t.diagnostic(missing)
  const lines = (await run(cairn, 'python3', ['-c', upload])).split('\n')
  assert.deepEqual(lines, [
    '{"Name":"file","Hash":"QmWtBbpKST49AQFLx8HAdwwjUu7HBP2wrtAH1x8df5qrVm","Size":"17"}',
    'myNFT.png',
    "{'Pins': ['QmWtBbpKST49AQFLx8HAdwwjUu7HBP2wrtAH1x8df5qrVm']}",
    '',
  ])
})

const refused = `
import os, requests
api = os.environ['CAIRN_URL'] + '/api/v0/'
for auth in [None, (os.environ['CAIRN_KEY'], 'wrong')]:
    reply = requests.post(api + 'add', files={'file': 'x'}, auth=auth)
    print(reply.status_code, reply.json()['Message'])
`

test('a refusal has a status and a message', async (t) => {
  if (missing !== null) return t.diagnostic(missing)
  assert.deepEqual((await run(cairn, 'python3', ['-c', refused])).split('\n'), [
    '401 project id required',
    '401 invalid project id or project secret',
    '',
  ])
})

const storage = `
import os, requests
call = {'jsonrpc': '2.0', 'id': 1, 'method': 'eth_getStorageAt',
        'params': ['0x295a70b2de5e3953354a6a8344e616ed314d7251', '0x0', 'latest']}
reply = requests.post(os.environ['CAIRN_URL'] + '/v3/' + os.environ['CAIRN_KEY'], json=call)
print(int(reply.json()['result'], 16), reply.headers['x-cairn-verified'])
`

test('a storage slot is read with requests alone', async (t) => {
  if (missing !== null) return t.diagnostic(missing)
  assert.equal(await run(cairn, 'python3', ['-c', storage]), '1234 proof\n')
})
