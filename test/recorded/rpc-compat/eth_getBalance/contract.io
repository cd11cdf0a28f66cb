>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xca1c0000000000000000000000000000000000e1","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x7"}
