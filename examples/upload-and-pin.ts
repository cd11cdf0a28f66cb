// Adds a folder with kubo-rpc-client, reads one of its files by path, shows the pin, and unpins it.
//   CAIRN_KEY=<API_KEY> CAIRN_SECRET=<API_KEY_SECRET> npm run -s example examples/upload-and-pin.ts
import { create } from 'kubo-rpc-client'

const url = process.env['CAIRN_URL'] ?? 'http://127.0.0.1:8545'
const { CAIRN_KEY: key, CAIRN_SECRET: secret } = process.env
if (key === undefined || secret === undefined) throw new Error('set CAIRN_KEY and CAIRN_SECRET')

const authorization = `Basic ${btoa(`${key}:${secret}`)}`
const ipfs = create({ url: `${url}/api/v0`, headers: { authorization } })

const files = [
  { path: 'site/index.html', content: '<h1>A cairn is a stack of stones</h1>\n' },
  { path: 'site/style/main.css', content: 'h1 { color: slategray }\n' },
]
let root = ''
for await (const { path, cid } of ipfs.addAll(files)) {
  console.log(`added ${path} ${String(cid)}`)
  // The folder is the last entry.
  root = cid.toString()
}

for await (const bytes of ipfs.cat(`${root}/style/main.css`)) {
  process.stdout.write(bytes)
}
for await (const pin of ipfs.pin.ls({ paths: root })) {
  console.log(`pinned ${String(pin.cid)} ${pin.type}`)
}
console.log(`unpinned ${String(await ipfs.pin.rm(root))}`)
