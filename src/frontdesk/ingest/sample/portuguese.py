"""Scenes between a shop and its customers, in Portuguese.

`script.py` explains the marks at the beginning of the lines.
"""

CHOICES = {
    "hi": ("Oi", "Olá", "Bom dia", "Boa tarde", "Oi, tudo bem?", "Oi, gente 👋"),
    "hello": ("Oi", "Olá", "Que bom te ver por aqui,"),
    "thanks": ("Valeu!", "Agradeço muito!", "Valeu demais 🙏", "Ótimo, valeu", "Gratidão 😊"),
    "product": ("espelho redondo", "kit de café", "banco de carvalho", "vaso Duna", "tapete Maré"),
    "garment": ("suéter de merino", "vestido de linho", "cardigã Serra", "colete Brisa"),
    "zipped": ("casaco impermeável Porto", "moletom Duna", "colete Serra"),
    "colour": ("azul-marinho", "verde-musgo", "cru", "ferrugem", "grafite"),
    "weekday": ("segunda", "terça", "quarta", "quinta", "sexta", "sábado"),
    "street": ("Rua das Acácias, 14", "Praça Nova, 3", "Avenida do Porto, 220", "Rua Clara, 9"),
}

SCENES = """
== Pedido atrasado | shipping
> {hi}, meu pedido {order} era pra ter chegado {weekday} e até agora nada 😕
> No rastreio diz "saiu para entrega" há dois dias // O rastreio não muda desde {weekday}
< {hello} {first}! Desculpa a demora. Vou falar com a transportadora agora.
# Transportadora confirmou: endereço sem complemento. Corrigido, novo código {tracking}.
< Descobri: faltava o número do apartamento na etiqueta.
< [image rastreio.png] Já corrigimos, o novo código é {tracking}
> E chega quando?
<1 Amanhã até as 13h, {first}
> {thanks}
+ 🙏🏾
< Eu que agradeço! Qualquer coisa me chama aqui. // Imagina! Depois me conta se chegou certinho.

== Reembolso | refund
> {hi}, cancelei o pedido {order} e o dinheiro ainda não voltou
< Oi {first}, deixa eu ver aqui com o financeiro. Foi no Pix ou no cartão?
> Pix
# Chave Pix estava com um dígito a menos. Pagamento refeito, {amount}.
< Achei: a chave Pix veio incompleta. Me confirma a chave por aqui?
> É este mesmo número do WhatsApp
< Feito! {amount} já saiu daqui.
< [document comprovante-{order}.pdf] Segue o comprovante
> Caiu aqui! {thanks}

== Troca de tamanho | exchange, sizes
> {hi}, o {garment} ficou apertado 🙈 dá pra trocar o {size} pelo {size2}?
< Dá sim, {first}! Como fica melhor pra você?
< [buttons Correios|Na loja|Buscar em casa] Escolhe uma opção
> [button_reply Na loja] Na loja
< Combinado, separei o {size2} no seu nome. É só trazer com a etiqueta.
> Posso ir {weekday}? Minha filha que vai 👩🏽‍🦱
<1 Pode, é só ela falar o código {code}
> {thanks}
+ 👍

== Reserva no café | booking
> {hi}, queria reservar mesa no café 🍰
@ Boas-vindas ao café da Veldrano! Para quantas pessoas e que horas?
> 5 pessoas {weekday} às {time}, e um cachorro 🐶
@ Temos mesa {weekday} às {time}. Sobre o cachorro vou chamar alguém da equipe.
!handoff
< Oi {first}! Na varanda pode sim, até deixamos água pra ele 😄
> Que amor! Pode reservar então
# Mesa 12, varanda, pote de água.
< Reservado: {weekday}, {time}, 5 pessoas + 1 cachorro.
> {thanks}
+ 🐾

== Nota fiscal | invoice
> {hi}, preciso da nota fiscal do pedido {order} no CNPJ da empresa
< Claro! Qual o CNPJ e a razão social?
> Ateliê Maré Alta Ltda, 00.000.000/0000-00
< [document nota-{order}.pdf] Segue a nota, total de {amount}.
> O endereço certo é {street}
< [document nota-{order}-corrigida.pdf] Corrigida, desculpa!
> Perfeito. {thanks}

== Dúvida sobre produto | question
> [ad] {hi}, vi o anúncio de vocês. O {garment} tem em {colour}?
@ Olá! Tem sim: {colour}, cru e grafite. Quer que eu veja o tamanho?
> {size}
@ [product] Temos 4 no {size}. Aqui está com o preço.
> Encolhe na máquina?
!handoff
@ Vou chamar quem já lavou 😄
< {first}, lava na água fria e seca na sombra que não encolhe.
> Fechou, vou comprar! // Vou pensar e já te falo. {thanks}

== Onde fica a loja | directions
> {hi}, onde fica a loja de vocês?
< [location shop] Aqui ó, pertinho da estação. Até as 20h hoje.
> [location home] Tô saindo daqui
< De ônibus uns 20 minutinhos, {first}.
> [voice 12]
<1 Tem estacionamento sim, grátis por uma hora
> {thanks}

== Produto com defeito | complaint, warranty
> {hi}, o zíper do {zipped} quebrou com duas semanas de uso, que decepção
> [video ziper.mp4] Olha como ele sai do trilho
< Poxa, {first}, desculpa mesmo. Isso não podia acontecer.
# Quarto zíper deste lote. Compras já sabe.
< Mandamos um novo ou devolvemos o valor, o que você prefere?
> Um novo, por favor
< Combinado! Passamos {weekday} às {time} e já levamos o novo.
> Tá bom. {thanks}
< [template devolucao] Olá {first}, a etiqueta de devolução do pedido {order} está pronta. A \
coleta é {weekday}.
> [quick_reply Combinado] Combinado

== Pedido pelo chat | sales
> {hi}, dá pra comprar por aqui?
< [carousel] Dá sim! Olha os mais pedidos da semana
> [order] O primeiro é pra presente 🎁
< Lindo! Com embrulho fica {amount}.
< [cta_url Pagar {amount}] É só pagar por aqui, Pix ou cartão
> Pago!
< Recebido, {first}! Sai amanhã cedinho 📦
+ 🎉

== Endereço errado | shipping
> {hi}, coloquei o endereço errado no pedido {order} 🤦🏾‍♀️ o certo é {street}
@ Achei o {order}. Ainda não saiu, posso trocar. O certo é {street}?
> Isso!
@ Pronto ✅ Vai para {street}.
> Nossa, que rápido
& Obrigado por falar com a Veldrano. Que nota você dá de 1 a 5?
> 5 💚 // 5

== Horário para ajustes | booking, alterations
> {hi}, vocês fazem barra de calça?
< Fazemos, {first}! Fica pronta em quatro dias.
< [list Escolher horário|{weekday} 10:00|{weekday} 12:30|{weekday} 17:15] Qual horário é melhor?
> [list_reply {weekday} 10:00] {weekday} 10:00
< Marcado! Pode procurar a Dona Célia
< [contacts Célia Prado|+550090000171] O contato dela
> {thanks}

== Campanha de outono | campaign
% [template novidades_outono] {first}, a coleção de outono chegou 🍂 Frete grátis para membros \
até {weekday}.
> Tem o {garment}?
< Tem! Em {colour}, a partir de {amount}.
> Entregam em Portugal 🇵🇹?
< Sim, pela nossa loja de Lisboa 😉
> Adorei. {thanks}

== Campanha sem entrega | campaign
% [template novidades_outono] [failed 130472] {first}, a coleção de outono chegou 🍂 Frete \
grátis para membros até {weekday}.
< [failed 131047] Oi {first}, conseguiu ver a coleção nova?
# Janela de 24 horas fechada. Mandar modelo.

== Retirada na loja | pick-up
$ [template pronto_para_retirar] Olá {first}, seu pedido {order} está pronto na loja até {weekday}.
> [quick_reply Estou indo] Estou indo
= Armário 5 aberto com o código {code}. Pedido {order} retirado.
> Peguei! Muito prático 👏🏿
^ Que bom! Aqui é o Rafael da loja, volte sempre.
+ 😊

== Pagamento | payment
> {hi}, o Pix deu erro duas vezes
> [image erro.png] Olha o que aparece
< Oi {first}! O código vale só 30 minutos. Te mando outro agora.
< [cta_url Pagar {amount}] Aqui está o novo
> [animated]
> Foi! 🥳
< Confirmado, pedido {order} pago. Obrigada!

== Elogio | feedback
> Só pra dizer que a moça que me atendeu {weekday} foi um anjo 💐
> [audio musica-da-festa.mp3]
> Essa tocava na loja, né? 🎶
> [image sala.jpg] E o {product} ficou lindo na sala
< Que alegria ler isso, {first}! Vou contar pra ela.
# Elogio para a Beatriz, repassado.
+ ❤️
"""
