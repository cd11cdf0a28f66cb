// The upstreams page of an operator, with an upstream that sends invalid replies.
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testChain } from '../fakes/chain-facts.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { temporaryFolder } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openPage } from './open-page.ts'

const contract = testChain.emitter

test(
  'an invalid reply is shown with its evidence, and the upstream without the secret in its URL',
  { skip: noBrowser, timeout: 60_000 },
  async (t) => {
    const chain = await openStubChain()
    const faulty = await startStubUpstream(t, chain)
    const folder = await temporaryFolder()
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file = join(folder, 'cairn.yaml')
    const upstream = `{url: "${faulty.url}/key-7654321", name: faulty, trusted: true}`
    await writeFile(
      file,
      `networks: [{name: recorded, chainId: ${chain.chainId}, upstreams: [${upstream}]}]\n`,
    )
    const { cairn, page, enter, picture } = await openPage(t, { args: ['--config', file] })
    faulty.knobs.falsify = async ({ method }, reply) => {
      if (method !== 'eth_getProof' || !('result' in reply)) return null
      const { accountProof, ...rest } = reply.result as { accountProof: string[] }
      const last = accountProof.at(-1) ?? ''
      const changed = last.slice(0, -1) + (last.endsWith('0') ? '1' : '0')
      return { result: { ...rest, accountProof: [...accountProof.slice(0, -1), changed] } }
    }
    await cairn.rpc('eth_getStorageAt', [contract, '0x0', 'latest'])
    await enter()
    await page.getByText(/^faulty on recorded sent \d+ invalid repl/).waitFor()
    await page.getByRole('link', { name: 'See the evidence' }).click()
    await faulty.stop()
    await cairn.rpc('eth_call', [{ to: contract, data: '0x' }, 'latest'])
    const errors = page.getByRole('table', { name: 'Recent errors' })
    await errors.getByRole('row', { name: 'eth_call' }).getByText('JSON-RPC (recorded)').waitFor()
    await picture('recent-errors')
    await page.getByRole('button', { name: 'Evidence' }).first().click()
    await page.getByRole('heading', { name: 'Invalid reply of faulty' }).waitFor()
    await checkAxe(page, 'evidence')
    await picture('invalid-reply')
    assert.ok(!(await page.content()).includes('key-7654321'))
  },
)
