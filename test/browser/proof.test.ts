// The proofs page in a browser: verification of a JSON-RPC answer and of a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleContractAddress } from '../../src/devchain/default-genesis.ts'
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
    await page.getByLabel('Block hash you trust').fill(`0x${'12'.repeat(32)}`)
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('The block hash is another one').waitFor()
  },
)

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
