// Proofs of calls in a browser: a worker of the page verifies the bundle of a call by executing the call again.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import type { ProofBundle } from '../../src/rpc/bundles/proof-bundle.ts'
import { holder, proxy, startBehind, startCalledChain, word } from '../calls/called-chain.ts'
import { until } from '../fakes/until.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { buildPages, type OpenPage, openPageOf, type OpenPageOptions } from './open-page.ts'
import { signIn } from './signed-in.ts'

const call = { to: proxy, data: word(BigInt(holder)) }

/** Used instead of a fee recipient that is the zero address (EIP-4788). */
const beaconRoots = '0x000f3df6d732807ef1319fb7b8bb8522d0beac02'

type Reply = { result?: unknown; proof?: ProofBundle }

/** The Proofs page of a server whose network `called` proves its answers. Chain 1337 is not in the table of known networks. */
async function openProofs(
  t: TestContext,
  options: OpenPageOptions = {},
): Promise<
  OpenPage & { readonly genesisFile: string; ask(params?: readonly unknown[]): Promise<void> }
> {
  await buildPages()
  const chain = await startCalledChain(t)
  const { server } = await startBehind(t, chain.genesisFile, [chain.url])
  const opened = await openPageOf(t, server, options)
  await signIn(opened)
  const { page, open } = opened
  return {
    ...opened,
    genesisFile: chain.genesisFile,
    async ask(params = [call, 'latest']) {
      await open(`/proof?method=eth_call&params=${encodeURIComponent(JSON.stringify(params))}`)
      await page.getByRole('button', { name: 'Ask and check' }).click()
    },
  }
}

/** Changes each reply with a proof before the page receives it. */
async function changeReplies(page: Page, change: () => (reply: Reply) => Reply): Promise<void> {
  await page.route('**/rpc/called', async (route) => {
    const response = await route.fetch()
    const reply = (await response.json()) as Reply
    await route.fulfill({ response, json: reply.proof === undefined ? reply : change()(reply) })
  })
}

test(
  'a call is proved by running it again in a worker, which is loaded for the first call and ends with it',
  { skip: noBrowser },
  async (t) => {
    const { page, open, ask, genesisFile, picture } = await openProofs(t)
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(request.url()))
    const isLoaded = () => loaded.some((url) => url.includes('/assets/call-worker'))
    await open(`/proof?method=eth_getBalance&params=["${holder}","latest"]`)
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('hashes match, from the block to the value').waitFor()
    assert.equal(isLoaded(), false)

    await ask()
    await page.getByText('Cairn does not know the fork rules of chain 1337.').waitFor()
    assert.equal(isLoaded(), true)
    await checkAxe(page, 'genesis file wanted')
    await picture('proof-genesis')
    await page.locator('input[type=file]').setInputFiles(genesisFile)
    await page
      .getByText(
        'the call gives the same result here, under the rules of the genesis file of chain',
      )
      .waitFor()
    assert.match(await page.locator('.verdict').innerText(), /^Proved .*1337, fork osaka/)
    assert.equal(await page.locator('.value-view output').innerText(), '1,234')
    // The browser reports the end of a worker later.
    await until(() => assert.equal(page.workers().length, 0))
    await checkAxe(page, 'proof of a call')
    await picture('proof-call')

    await page.getByRole('button', { name: 'Change one bit' }).click()
    await page.locator('.verdict.bad').waitFor()
    await page.getByRole('button', { name: 'Restore proof' }).click()
    await page.locator('.verdict.good').waitFor()
    await until(() => assert.equal(page.workers().length, 0))
  },
)

test(
  'behind an upstream, the page asks for the fee recipient of the newest block',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open } = await openProofs(t)
    const response = await fetch(`${cairn.url}/v3/${cairn.apiKey}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}',
    })
    const { result } = (await response.json()) as { result: { miner: string } }
    await open('/proof')
    await page.locator('button:enabled', { hasText: 'Ask and check' }).click()
    await page.locator('.verdict.good').waitFor()
    const address = await page.getByLabel('Address', { exact: true }).inputValue()
    assert.equal(address, /^0x0*$/.test(result.miner) ? beaconRoots : result.miner)
  },
)

test(
  'a call with a changed or missing piece is refused in the browser',
  { skip: noBrowser },
  async (t) => {
    const { page, ask, genesisFile } = await openProofs(t)
    let change = (reply: Reply): Reply => reply
    const untouched: Reply[] = []
    await changeReplies(page, () => (reply) => {
      untouched.push(reply)
      return change(reply)
    })
    await ask()
    await page.locator('input[type=file]').setInputFiles(genesisFile)
    await page.locator('.verdict.good').waitFor()
    const [{ proof } = {}] = untouched
    assert.ok(proof !== undefined && proof.codes?.length === 3)

    const inProof =
      (changed: (bundle: ProofBundle) => Partial<ProofBundle>) =>
      (reply: Reply): Reply =>
        reply.proof === undefined
          ? reply
          : { ...reply, proof: { ...reply.proof, ...changed(reply.proof) } }
    const each = (list: 'nodes' | 'codes') =>
      (proof[list] ?? []).flatMap((_, at) => [
        inProof((bundle) => ({ [list]: (bundle[list] ?? []).toSpliced(at, 1) })),
        inProof((bundle) => ({
          [list]: (bundle[list] ?? []).map((hex, index) => (index === at ? flip(hex) : hex)),
        })),
      ])
    const changes = [
      inProof(({ header }) => ({ header: flip(header ?? '') })),
      inProof(({ params }) => ({ params: [{ ...call, data: word(1) }, ...params.slice(1)] })),
      inProof(() => ({ method: 'eth_estimateGas' })),
      (reply: Reply): Reply => ({ ...reply, result: word(1235) }),
      ...each('nodes'),
      ...each('codes'),
    ]
    assert.ok(changes.length > 15)
    for (const [at, one] of changes.entries()) {
      change = one
      await page.getByRole('button', { name: 'Ask and check' }).click()
      await page.locator('.verdict').waitFor()
      assert.match(await page.locator('.verdict').innerText(), /^Not proved /, `change ${at}`)
    }
  },
)

test(
  'a wrong genesis file is named, a check can be stopped, and a worker that does not load is an error',
  { skip: noBrowser },
  async (t) => {
    const { page, ask, expect, genesisFile } = await openProofs(t)
    await ask()
    const choose = (name: string, text: string) =>
      page.locator('input[type=file]').setInputFiles({
        name,
        mimeType: 'application/json',
        buffer: Buffer.from(text),
      })
    await page.locator('input[type=file]').waitFor({ state: 'attached' })
    await choose('a.json', '{')
    await page.getByText('cannot be read as a genesis file: it is not valid JSON').waitFor()
    await choose('b.json', '{"config": {"chainId": 5}, "gasLimit": "0x1", "alloc": {}}')
    await page.getByText('The genesis file is of chain 5, the network is chain 1337.').waitFor()
    await choose('c.json', '{"config": {"chainId": 1337}}')
    await page.getByText('gasLimit must be a quantity').waitFor()

    const { promise: stopped, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/call-worker*', async (route) => {
      await stopped
      await route.abort().catch(() => {})
    })
    await page.locator('input[type=file]').setInputFiles(genesisFile)
    await page.getByText('Loading the EVM').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Not checked: the check was stopped.').waitFor()
    await until(() => assert.equal(page.workers().length, 0))
    release()
    expect(/Failed to load resource/)
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('Not checked: the EVM could not be loaded').waitFor()
  },
)

test('the rules are those of the network that the page names', { skip: noBrowser }, async (t) => {
  const { page, ask } = await openProofs(t)
  await page.route('**/api/v1/status', async (route) => {
    const response = await route.fetch()
    const status = (await response.json()) as { networks: readonly object[] }
    const networks = status.networks.map((network) => ({ ...network, chainId: '1' }))
    await route.fulfill({ response, json: { ...status, networks } })
  })
  await ask()
  await page.getByText('block 0 is of a fork that Cairn does not know').waitFor()
  assert.match(await page.locator('.verdict').innerText(), /^Not proved /)
})

for (const scheme of ['light', 'dark'] as const) {
  test(
    `a call is proved on a phone with the keyboard alone, ${scheme}`,
    { skip: noBrowser },
    async (t) => {
      const { page, open, genesisFile, picture } = await openProofs(t, { width: 390, scheme })
      const params = encodeURIComponent(JSON.stringify([call, 'latest']))
      await open(`/proof?method=eth_call&params=${params}`)
      await page.getByRole('button', { name: 'Ask and check' }).focus()
      await page.keyboard.press('Enter')
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page
          .locator('input[type=file]')
          .focus()
          .then(() => page.keyboard.press('Enter')),
      ])
      await chooser.setFiles(genesisFile)
      await page.locator('.verdict.good').waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      await checkAxe(page, `proof of a call, ${scheme}`)
      await picture(`proof-call-phone-${scheme}`)
    },
  )
}

function flip(hex: string): string {
  return hex.slice(0, -1) + (hex.endsWith('0') ? '1' : '0')
}
