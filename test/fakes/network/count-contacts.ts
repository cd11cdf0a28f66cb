// Loaded before a server (`--import`): writes a line to the file in CAIRN_TEST_CONTACTS for each process, connection and name
// lookup that it starts, and for each module of the IPFS network that it loads.
import childProcess from 'node:child_process'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const file = process.env['CAIRN_TEST_CONTACTS'] ?? ''
const note = (line: string): void => appendFileSync(file, `${line}\n`)

function count(holder: object, name: string): void {
  const original: unknown = Reflect.get(holder, name)
  if (typeof original !== 'function') return
  function counted(this: unknown, ...args: unknown[]): unknown {
    // An address needs no lookup.
    if (typeof args[0] !== 'string' || !net.isIP(args[0])) note(name)
    return Reflect.apply(original as () => unknown, this, args)
  }
  Reflect.set(holder, name, Object.assign(counted, original))
}

if (file !== '') {
  for (const name of ['spawn', 'fork', 'exec', 'execFile']) count(childProcess, name)
  for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveTxt']) {
    count(dns, name)
    count(dns.promises, name)
  }
  count(net.Socket.prototype, 'connect')
  count(net.Server.prototype, 'listen')
  syncBuiltinESMExports()
  registerHooks({
    load(url, context, next) {
      if (/\/src\/ipfs\/network\/|\/node_modules\/@?libp2p/.test(url)) note(`load ${url}`)
      return next(url, context)
    },
  })
}
