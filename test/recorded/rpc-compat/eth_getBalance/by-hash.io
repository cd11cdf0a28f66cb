>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xca1c0000000000000000000000000000000000e1","0xc02ef2bca4a22c894d667b48e15c84ef796c9a0f7ced3219c8a3a05988df0152"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x1"}
