// The storage slots page in a browser, with a contract compiled by solc.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ContractFactory, type InterfaceAbi, JsonRpcProvider, Wallet } from 'ethers'
import { devAccounts } from '../../src/devchain/dev-accounts.ts'
import type { Started } from '../started-server.ts'
import { checkAxe } from './axe.ts'
import { noBrowser } from './browser.ts'
import { openSignedIn } from './signed-in.ts'

const artifact = fileURLToPath(new URL('../fakes/files/kept-contract.json', import.meta.url))
const owner = '0x391694e7e0b0cce554cb130d723a9d27458f9298'

async function deploy({ url, apiKey }: Started): Promise<string> {
  const { abi, bytecode } = JSON.parse(readFileSync(artifact, 'utf8')) as {
    abi: InterfaceAbi
    bytecode: string
  }
  const provider = new JsonRpcProvider(`${url}/v3/${apiKey}`)
  try {
    const wallet = new Wallet(devAccounts[0]?.privateKey ?? '', provider)
    const deployed = await new ContractFactory(abi, bytecode, wallet).deploy()
    await deployed.waitForDeployment()
    return await deployed.getAddress()
  } finally {
    provider.destroy()
  }
}

test(
  'with a storage layout, the page shows the decoded, proved value and the slot of a variable',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open, picture } = await openSignedIn(t)
    const address = await deploy(cairn)
    await open('/slots')
    // One click fills in an example, a second one shows a proved value.
    await page.getByRole('button', { name: 'Use an example' }).click()
    await page.getByRole('button', { name: 'Read slot' }).click()
    await page.getByText(/All \d+ hashes match, from the block to \d+ words?\./).waitFor()
    assert.equal(await page.getByLabel('the value', { exact: true }).innerText(), '1234')
    await page.getByRole('button', { name: 'Change layout' }).click()
    await page.locator('input[type=file]').setInputFiles(artifact)
    await page.getByText('A storage layout with').waitFor()
    await page.getByLabel('Contract', { exact: true }).fill(address)
    const read = async (path: string): Promise<string> => {
      await page.getByLabel('Variable', { exact: true }).fill(path)
      await page.getByRole('button', { name: 'Read slot' }).click()
      await page.locator('.card-body', { hasText: `${path} (` }).waitFor()
      await page.getByText(/All \d+ hashes match, from the block to \d+ words?\./).waitFor()
      assert.equal(await page.locator('.verdict').count(), 1)
      return await page.getByLabel('the value', { exact: true }).innerText()
    }
    assert.equal(await read(`balances[${owner}]`), '12345')
    assert.match(await read('motto'), /^everything is found by hash/)
    assert.equal(await page.locator('.proof-step.wrong').count(), 0)
    assert.ok((await page.locator('.proof-step.holds').count()) >= 2)
    assert.deepEqual(JSON.parse(await read('order.at')), { x: '7', y: '8', set: true })
    await checkAxe(page, 'slots')
    await picture('slots')

    const { result } = await cairn.rpc('eth_getBlockByNumber', ['latest', false])
    const { hash } = result as { hash: string }
    // The hash that the person enters is used, regardless of the server's reply.
    await page.route('**/rpc/dev', async (route) => {
      const response = await route.fetch()
      const text = await response.text()
      const isOfBlock = route.request().postData()?.includes('eth_getBlockByHash') === true
      const body = isOfBlock ? text.replace(`"hash":"${hash}"`, `"hash":"${owner}"`) : text
      await route.fulfill({ response, body })
    })
    await page.getByLabel('Block', { exact: true }).fill(hash)
    assert.equal(await read('order.at.x'), '7')
    await page.getByText('The block hash that you trust').waitFor()

    await page.getByRole('link', { name: 'Open' }).first().click()
    await page.getByRole('button', { name: 'Ask and check' }).click()
    await page.getByText('hashes match, from the block to the value').waitFor()
  },
)

test(
  'a wrong path and a wrong file are refused with the expected form',
  { skip: noBrowser },
  async (t) => {
    const { page, open } = await openSignedIn(t)
    await open('/slots')
    await page.getByLabel('Contract layout').fill('{}')
    await page.getByText('there is no storage layout in it').waitFor()
    await page.locator('input[type=file]').setInputFiles(artifact)
    const contract = page.getByLabel('Contract', { exact: true })
    await contract.fill('0x12')
    await page.getByRole('button', { name: 'Read slot' }).click()
    await page.getByText('Contract is "0x12": expected 0x and 40 hex digits').waitFor()
    await contract.fill(owner)
    await page.getByLabel('Variable', { exact: true }).fill('nothing')
    await page.getByRole('button', { name: 'Read slot' }).click()
    await page.getByText('there is no variable nothing').waitFor()
  },
)

test(
  'with an ABI, the slot of a getter is found and its word proved',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open } = await openSignedIn(t)
    const address = await deploy(cairn)
    const { abi } = JSON.parse(readFileSync(artifact, 'utf8')) as { abi: unknown }
    await open('/slots')
    await page.getByLabel('Contract layout').fill(JSON.stringify(abi))
    await page.getByText('An ABI. Values of one word with a getter can be read.').waitFor()
    await page.getByLabel('Contract', { exact: true }).fill(address)
    await page.getByLabel('Variable', { exact: true }).fill(`balances[${owner}]`)
    await page.getByRole('button', { name: 'Read slot' }).click()
    await page.locator('.verdict.good').waitFor()
    assert.equal(await page.getByLabel('the value', { exact: true }).innerText(), '12345')
  },
)

test(
  'a word whose proof was changed on its way is refused, and the value is struck through',
  { skip: noBrowser },
  async (t) => {
    const { cairn, page, open } = await openSignedIn(t)
    const address = await deploy(cairn)
    await page.route('**/rpc/dev', async (route) => {
      const response = await route.fetch()
      const reply = (await response.json()) as { result: unknown; proof?: object }
      const changed = { ...reply, result: `0x${'7'.repeat(64)}` }
      await route.fulfill({ response, json: reply.proof === undefined ? reply : changed })
    })
    await open('/slots')
    await page.locator('input[type=file]').setInputFiles(artifact)
    await page.getByLabel('Contract', { exact: true }).fill(address)
    await page.getByLabel('Variable', { exact: true }).fill(`balances[${owner}]`)
    await page.getByRole('button', { name: 'Read slot' }).click()
    await page.getByText('the proof leads to another word').waitFor()
    assert.match(await page.locator('.verdict').innerText(), /^Not proved /)
    assert.equal(await page.locator('.value-view del').count(), 1)
  },
)

for (const scheme of ['light', 'dark'] as const) {
  test(
    `a slot is read on a phone with the keyboard alone, ${scheme}`,
    { skip: noBrowser },
    async (t) => {
      const { cairn, page, open, picture } = await openSignedIn(t, { width: 390, scheme })
      const address = await deploy(cairn)
      await open('/slots')
      const layout = page.getByLabel('Contract layout')
      await layout.waitFor()
      await checkAxe(page, `slots, no layout, ${scheme}`)
      await layout.focus()
      await page.keyboard.insertText(readFileSync(artifact, 'utf8'))
      await page.getByText('A storage layout with').waitFor()
      // The layout field disappears, so the focus moves to the next field.
      await page.keyboard.insertText(address)
      await page.keyboard.press('Tab')
      await page.keyboard.insertText('order.at')
      await page.keyboard.press('Enter')
      await page.locator('.verdict.good').waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      await checkAxe(page, `slots, ${scheme}`)
      await picture(`slots-phone-${scheme}`)

      await page.getByRole('button', { name: 'Change layout' }).focus()
      await page.keyboard.press('Enter')
      await layout.waitFor()
      assert.equal(await page.locator('textarea:focus').count(), 1)
    },
  )
}
