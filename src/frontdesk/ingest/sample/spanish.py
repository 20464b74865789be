"""Scenes between a shop and its customers, in Spanish.

`script.py` explains the marks at the beginning of the lines.
"""

CHOICES = {
    "hi": ("Hola", "Buenos días", "Buenas tardes", "Muy buenas", "Hola, ¿qué tal?", "Buenas 👋"),
    "hello": ("Hola", "Buenas", "Encantada de saludarte"),
    "thanks": (
        "¡Gracias!",
        "Mil gracias",
        "Muchísimas gracias 🙏",
        "Genial, gracias",
        "Gracias 😊",
    ),
    "product": ("espejo redondo", "juego de café", "sillón Olmo", "cojín de lana", "jarrón Duna"),
    "garment": ("jersey de merino", "abrigo de lana", "cárdigan Sierra", "vestido de lino"),
    "zipped": ("chubasquero Puerto", "chaquetón Sierra", "bolso de lona"),
    "colour": ("azul marino", "verde musgo", "crudo", "teja", "gris oscuro"),
    "weekday": ("el lunes", "el martes", "el miércoles", "el jueves", "el viernes", "el sábado"),
    "street": ("calle del Olmo 14", "plaza Nueva 3", "avenida del Río 220", "calle Larga 9"),
}

SCENES = """
== Pedido que no llega | shipping
> {hi}, mi pedido {order} tenía que llegar {weekday} y todavía nada 😕
< {hello} {first}, lo siento mucho. Voy a preguntar a la mensajería por el {order}.
# La mensajería dice que el bulto quedó en el almacén de tránsito. Sale hoy con {tracking}.
< Ya sé qué pasó: se quedó en el almacén porque faltaba el número del portal. // Se retrasó en el \
almacén, faltaba un dato de la dirección.
> Pues el número estaba bien puesto en la web...
<1 Tienes razón, se cortó al imprimir la etiqueta. Lo hemos corregido.
< [image seguimiento.png] Sale hoy mismo, este es el nuevo seguimiento: {tracking}
> Vale. {thanks}
+ 👍
< A ti, {first}. Mañana te escribo para ver si llegó. // Cualquier cosa me dices por aquí.

== Devolución del dinero | refund
> {hi}, devolví el {garment} hace dos semanas y no me han abonado nada
< Déjame mirarlo, {first}. ¿Me dices el número de pedido?
> {order}
# La devolución llegó al almacén, pero nadie la cerró. Abonado hoy, {amount}.
< Llegó al almacén y se quedó sin cerrar. Acabo de ordenar el abono de {amount}.
< [document abono-{order}.pdf] Este es el justificante
> ¿Cuánto tarda en aparecer en la cuenta?
<1 Entre 3 y 5 días hábiles, depende de tu banco
> De acuerdo. {thanks}

== Cambio de talla | exchange, sizes
> {hi}, me queda pequeño el {garment} 🙈 ¿lo puedo cambiar de la {size} a la {size2}?
< ¡Claro! ¿Cómo prefieres devolver la {size}?
< [buttons Por correo|En la tienda|Que lo recojan] Elige lo que te venga mejor
> [button_reply Que lo recojan] Que lo recojan
< Perfecto: pasan {weekday} por la mañana y te dejan la {size2} en el mismo momento.
> ¿Puede ser a partir de las {time}? Antes estoy en el cole con los niños 👨‍👩‍👧‍👦
<1 Anotado, a partir de las {time}
> {thanks}
+ ❤️

== Reserva de mesa | booking
> {hi}, ¿se puede reservar en la cafetería? 🍰
@ ¡Te damos la bienvenida al café de Veldrano! ¿Para cuántas personas y a qué hora?
> Seríamos 6 {weekday} a las {time}, con una tarta de cumpleaños 🎂
@ Tengo sitio {weekday} a las {time}. La tarta la confirma una persona del equipo.
!handoff
< {hello} {first}, soy de la cafetería. ¿De qué sabor la quieres?
> Zanahoria, sin nueces por favor (alergia)
# OJO: alergia a los frutos secos. Avisada la cocina.
< Apuntado: zanahoria sin frutos secos, 6 personas {weekday} a las {time}.
> Qué bien. {thanks}

== Factura para empresa | invoice
> {hi}, necesito factura del pedido {order} a nombre de mi empresa
< Por supuesto. ¿Razón social y NIF?
> Taller Luna Nueva SL, B00000000
< [document factura-{order}.pdf] Aquí la tienes, {amount} con IVA incluido.
> La dirección es {street}, ¿la podéis cambiar?
< [document factura-{order}-2.pdf] Corregida, disculpa
> Perfecto. {thanks}

== Pregunta sobre un producto | question
> [ad] {hi}, vi el anuncio. ¿El {garment} lo tenéis en {colour}?
@ ¡Hola! Sí, en {colour}, crudo y gris oscuro. ¿Te miro la talla?
> La {size}
@ [product] Quedan 2 en la talla {size}. Te dejo la ficha con el precio.
> ¿Y si no me gusta lo puedo devolver en tienda?
@ Sí, en 30 días y con la etiqueta puesta.
> Me lo pienso y te digo 😅 // Pues lo pido esta noche. {thanks}

== Cómo llegar | directions
> {hi}, ¿dónde está la tienda?
< [location shop] Estamos aquí, a dos minutos del metro. Abrimos hasta las 21:00.
> [location home] Yo salgo de aquí, ¿cuánto se tarda?
< Unos 15 minutos andando, {first}.
> [voice 9]
<1 Sí, hay ascensor 😊
> {thanks}

== Producto roto | complaint, warranty
> {hi}, me llegó el {product} roto. La verdad es que me he llevado un disgusto
> [image roto.jpg] Mira cómo venía la caja
> [image roto-2.jpg]
< Qué rabia, {first}. Perdona, te mandamos otro hoy mismo.
# Segunda caja aplastada esta semana en la ruta del sur. Hablar con la mensajería.
< ¿Te viene bien {weekday} a las {time}?
> Sí, pero que no lo dejen en el portal
<1 Lo entregan en mano, queda escrito
> Vale. {thanks}
< [template devolucion] Hola {first}, la etiqueta de devolución del pedido {order} está \
lista. La recogida es {weekday}.

== Pedido por el chat | sales
> {hi}, ¿os puedo hacer un pedido por aquí?
< [product_list] ¡Claro! Elige lo que quieras y mándamelo
> [order] El primero es para regalo
< ¡Buena elección! Con envoltorio son {amount}.
< [cta_url Pagar {amount}] Puedes pagar aquí con tarjeta o Bizum
> Listo, pagado
< Recibido, {first}. Sale mañana a primera hora 📦
+ 🎉

== Horario en festivo | directions
> {hi}, ¿abrís {weekday} que es fiesta?
@ Ese día abrimos de 11:00 a 15:00.
> {thanks}
& Gracias por escribir a Veldrano. ¿Cómo lo hemos hecho? Responde con un número del 1 al 5.
> 5 👏🏼 // 4

== Cita para arreglos | booking, alterations
> {hi}, ¿hacéis bajos de pantalón?
< Sí, {first}. Tardamos unos cuatro días.
< [list Elegir hora|{weekday} 10:00|{weekday} 12:30|{weekday} 17:15] ¿Cuándo te viene bien pasar?
> [list_reply {weekday} 17:15] {weekday} 17:15
< Reservado. Pregunta por Carmen
< [contacts Carmen Olivares|+34000555171] Este es su teléfono
> {thanks} 👞

== Campaña de primavera | campaign
% [template novedades_primavera] {first}, ya está aquí la colección de primavera 🌷 Envío \
gratis para socios hasta {weekday}.
> ¿Está el {garment}?
< Sí, en {colour}, desde {amount}.
> ¿Y enviáis a México 🇲🇽?
< De momento a Península, Baleares y Portugal 🇵🇹
> Ah, qué pena // Bueno, que lo recoja mi hermana. {thanks}

== Campaña sin entregar | campaign
% [template novedades_primavera] [failed 131026] {first}, ya está aquí la colección de \
primavera 🌷 Envío gratis para socios hasta {weekday}.
# Número sin WhatsApp. Quitar de la lista.

== Recogida en tienda | pick-up
$ [template listo_para_recoger] Hola {first}, tu pedido {order} te espera en la tienda hasta \
{weekday}.
> [quick_reply Voy hoy] Voy hoy
= Taquilla 3 abierta con el código {code}. Pedido {order} recogido.
> ¡Recogido! Qué cómodo 🙌🏽
^ ¡Qué bien! Soy Mateo, de la tienda. Que lo disfrutes.
+ 😊

== Pago rechazado | payment
> {hi}, me rechaza la tarjeta todo el rato
> [image error.png] Me sale esto
< Parece que tu banco pide confirmarlo en su aplicación. ¿Te llega el aviso?
> A ver... sí, ahí estaba 🤦🏽
< ¡Estupendo! Veo el pago de {amount} del pedido {order}.
> {thanks}

== Palabras amables | feedback
> Solo quería deciros que me encanta el {product} 😍
> [video salon.mp4] Mirad cómo queda en el salón
< ¡Qué bonito, {first}! ¿Nos dejas enseñarlo al equipo?
> Claro que sí 💛
# Pedirle permiso por escrito antes de publicarlo.
+ 🥰
"""
