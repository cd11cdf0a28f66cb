// Every program in examples/ runs against a started server and must print the expected output.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { missingCurl, missingPython, run } from './fakes/programs.ts'
import { type Started, startCairn } from './started-server.ts'

const folder = new URL('../examples/', import.meta.url)

const promised: Readonly<Record<string, RegExp>> = {
  'read-slot.ts': /^value {5}0x0{61}4d2 \(1234\)\nverified {2}proof\nblock {5}0x[0-9a-f]{64}\n$/,
  'call-with-jwt.ts':
    /^without a token {3}401 invalid JWT \(required\)\nwith it {11}0x539\nanother method {4}403 [^\n]* \(method\)\n$/,
  'deploy-and-call.ts':
    /^deployed 0x[0-9a-f]{40}\n(raised in block \d+: success\n){2}by call 2, in storage 2\n$/,
  'subscribe.ts':
    /^subscribed 0x[0-9a-f]{32}\n(block \d+ 0x[0-9a-f]{64}\n){2}unsubscribed true\nclosed 1000 \n$/,
  'watch-blocks.ts': /^(block \d+\n)+mined 3 payments\n$/,
  'upload-and-pin.ts':
    /^(added site\S* \w+\n){4}h1 \{ color: slategray \}\npinned (Qm\w{44}) recursive\nunpinned \2\n$/,
  'prove-offline.sh':
    /^proved {2}eth_getStorageAt [^\n]*\nblock {3}\d+ 0x[0-9a-f]{64}\nresult {2}"0x0{61}4d2"\nnot proved: [^\n]*\na lie is found\n$/,
  'tour.sh':
    /"result":"0x539"[^\n]*4d2"[^\n]*\n[^\n]*\n\{"Name":"-","Hash":"(Qm\w{44})","Size":"23"\}\n[^\n]*\nstone\n[^\n]*"\1"[^\n]*\n\{"Pins":\["\1"\]\}\n$/,
  'upload.py': /^added Qm\w{44}\nread back the same\n$/,
}

let cairn: Started

before(async () => {
  cairn = await startCairn()
})
after(() => cairn.stop())

test('every example has an expected output', () => {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'))
  assert.deepEqual(names.toSorted(), Object.keys(promised).toSorted())
})

for (const [name, output] of Object.entries(promised)) {
  test(`examples/${name} prints the expected output`, async (t) => {
    const [program, missing] = interpreterOf(name)
    if (missing !== null) return t.diagnostic(missing)
    assert.match(await run(cairn, program, [new URL(name, folder).pathname]), output)
  })
}

function interpreterOf(name: string): readonly [program: string, missing: string | null] {
  if (name.endsWith('.py')) return ['python3', missingPython()]
  if (name.endsWith('.sh')) return ['sh', missingCurl()]
  return [process.execPath, null]
}
