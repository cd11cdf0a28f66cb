// The proofs page in a browser: verification of a JSON-RPC answer and of a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { sampleContractAddress } from '../../src/devchain/default-genesis.ts'
import { until } from '../fakes/until.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { sendTransfer } from './send-transfer.ts'
import { openSignedIn } from './signed-in.ts'

test(
  'an answer is proved in the browser step by step, and a changed bit is detected',
  { skip: noBrowser },
  async (t) => {
    const { page, open, picture } = await openSignedIn(t)
    const params = JSON.stringify([sampleContractAddress, '0x0', 'latest'])
    await open(`/proof?method=eth_getStorageAt&params=${encodeURIComponent(params)}`)
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('hashes match, from the block to the value').waitFor()
    await page.getByText('Its hash is from the answer.').waitFor()
    const steps = page.locator('.proof-step')
    assert.ok((await steps.count()) >= 3)
    assert.equal(await page.locator('.proof-step.wrong').count(), 0)
    await steps.first().locator('summary').click()
    await page.getByText('keccak256, computed in this browser').first().waitFor()
    await checkAxe(page, 'proof')
    await picture('proof')

    const [bundle] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download proof' }).click(),
    ])
    assert.equal(bundle.suggestedFilename(), 'bundle.json')
    await page.getByRole('button', { name: 'Change one bit' }).click()
    await page.locator('.verdict.bad').waitFor()
    assert.deepEqual(await page.locator('.verdict b').allInnerTexts(), ['Not proved'])
    assert.ok((await page.locator('.proof-step.wrong').count()) >= 1)
    assert.equal(await page.locator('.value-view del').innerText(), '1,234')
    await picture('proof-broken')
    await page.getByRole('button', { name: 'Restore proof' }).click()
    await page.getByText('hashes match, from the block to the value').waitFor()
    await page.getByLabel('Block', { exact: true }).fill('0')
    await page.getByLabel('Block hash you trust').fill(`0x${'12'.repeat(32)}`)
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('The block hash is another one').waitFor()
  },
)

test(
  'the page asks for something that exists: the first click shows a proved answer, for each method',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open } = await openSignedIn(t)
    await sendTransfer(cairn)
    await open('/proof')
    assert.equal(await page.getByRole('button', { name: 'Download proof' }).count(), 0)
    const method = page.getByLabel('Method', { exact: true })
    assert.equal(await method.inputValue(), 'eth_getBalance')
    const names = await method.locator('option').allInnerTexts()
    // test/browser/call-proof.test.ts covers the calls, whose check needs a genesis file.
    for (const name of names.filter((one) => !/_(call|estimateGas)$/.test(one))) {
      await method.selectOption(name)
      await askAndCheck(page)
      assert.match(await page.locator('.verdict').innerText(), /^Proved /, name)
      if (name === 'eth_getTransactionReceipt') await checkFields(page)
    }
    assert.ok(names.length >= 15)
    await method.selectOption('eth_getStorageAt')
    await askAndCheck(page)
    await page.getByText('Value of slot 0 of 0x295a70b2…4d7251 at block 1').waitFor()
    assert.equal(await page.locator('.value-view output').innerText(), '1,234')
    assert.equal(await page.getByRole('button', { name: 'Download proof' }).count(), 1)
  },
)

async function checkFields(page: Page): Promise<void> {
  const facts = page.locator('.answer-fields')
  assert.match(await facts.innerText(), /Status\s+1, success/)
  assert.match(await facts.innerText(), /Gas used\s+21,000/)
  await page.setViewportSize({ width: 390, height: 860 })
  await checkAxe(page, 'fields of an answer')
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  await page.getByRole('region', { name: 'the answer' }).getByText('"gasUsed"').waitFor()
}

test(
  'what is entered stays over methods, a wrong value is named at its field, and JSON becomes fields again',
  { skip: noBrowser },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    await open('/proof')
    const ask = page.getByRole('button', { name: 'Ask and check' })
    const method = page.getByLabel('Method', { exact: true })
    const address = page.getByLabel('Address', { exact: true })
    // The example that arrives later would end the selection of the text in which `fill` writes.
    await until(async () => assert.notEqual(await address.inputValue(), ''))
    await address.fill(sampleContractAddress)
    await method.selectOption('eth_getStorageAt')
    const contract = page.getByLabel('Contract', { exact: true })
    assert.equal(await contract.inputValue(), sampleContractAddress)
    await contract.fill('0x12')
    await ask.click()
    await page.getByText('Contract is "0x12": expected 0x and 40 hex digits').waitFor()
    assert.equal(await contract.getAttribute('aria-invalid'), 'true')
    await page.locator('input[aria-invalid=true]:focus').waitFor()
    assert.equal(await contract.inputValue(), '0x12')

    await contract.fill(sampleContractAddress)
    await page.getByRole('button', { name: 'Edit the parameters as JSON' }).click()
    const json = page.getByLabel('Parameters', { exact: true })
    assert.equal(await json.inputValue(), JSON.stringify([sampleContractAddress, '0x0', 'latest']))
    await json.fill('[')
    await ask.click()
    await page.getByText('The parameters are not valid JSON').waitFor()
    await json.fill(JSON.stringify([sampleContractAddress, '0x1', 'latest']))
    await page.getByRole('button', { name: 'Edit the parameters in fields' }).click()
    assert.equal(await page.getByLabel('Slot', { exact: true }).inputValue(), '0x1')

    await ask.click()
    await page.locator('.verdict.good').waitFor()
    const trusted = page.getByLabel('Block hash you trust')
    await trusted.fill('0x12')
    await ask.click()
    await page.getByText('"0x12" is not a block hash: expected 0x and 64 hex digits').waitFor()
    const command = await page.getByRole('region', { name: 'the command' }).innerText()
    await trusted.fill(/0x[0-9a-f]{64}/.exec(command)?.[0] ?? '')
    await askAndCheck(page)
    await page.getByText('The block hash that you trust').waitFor()
    await page.locator('.verdict.good').waitFor()
  },
)

for (const scheme of ['light', 'dark'] as const) {
  test(
    `an answer is proved on a phone with the keyboard alone, ${scheme}`,
    { skip: noBrowser },
    async (t) => {
      const { page, open, picture } = await openSignedIn(t, { width: 390, scheme })
      await open('/proof')
      const method = page.getByLabel('Method', { exact: true })
      await page.locator('button:enabled', { hasText: 'Ask and check' }).waitFor()
      await method.focus()
      await page.keyboard.type('eth_getStorageAt')
      await page.getByLabel('Slot', { exact: true }).waitFor()
      await checkAxe(page, `proof, not asked, ${scheme}`)
      await picture(`proof-form-phone-${scheme}`)
      for (let tabs = 0; tabs < 3; tabs++) {
        const focused = await page.evaluate('document.activeElement.textContent')
        if (focused === 'Ask and check') break
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Enter')
      await page.locator('.verdict.good').waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      await checkAxe(page, `proof, ${scheme}`)
      await picture(`proof-phone-${scheme}`)
    },
  )
}

test(
  'a transaction is proved with its sender, recovered in the browser',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open } = await openSignedIn(t)
    const hash = await sendTransfer(cairn)
    const params = encodeURIComponent(`["${hash}"]`)
    await open(`/proof?method=eth_getTransactionByHash&params=${params}`)
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('hashes match, from the block to the value').waitFor()
    await page.getByText('Transaction 0', { exact: true }).waitFor()
  },
)

test('a file is proved from its CID to its bytes', { skip: noBrowser }, async (t) => {
  const { cairn, page, open, picture } = await openSignedIn(t)
  const form = new FormData()
  form.append('file', new Blob(['kept by hash\n']), 'notes/a.txt')
  const response = await fetch(`${cairn.url}/api/v0/add?cid-version=1`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${cairn.apiKey}:${cairn.apiKeySecret}`)}` },
    body: form,
  })
  const lines = (await response.text()).trim().split('\n')
  const { Hash } = JSON.parse(lines.at(-1) ?? '') as { Hash: string }
  await open(`/proof?cid=${Hash}/a.txt`)
  await page.getByRole('button', { name: 'Fetch and check' }).click()
  await page.getByText('2 blocks, each by its own hash').waitFor()
  await page.getByText('kept by hash').waitFor()
  await checkAxe(page, 'proof of a file')
  await picture('proof-file')
})

/** Waits for the verdict on this answer, not on the previous one. */
async function askAndCheck(page: Page): Promise<void> {
  await Promise.all([
    page.waitForResponse((response) => response.request().headers()['x-cairn-proof'] === '1'),
    page.getByRole('button', { name: 'Ask and check' }).click(),
  ])
  await page.locator('.verdict').waitFor()
}
