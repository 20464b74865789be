"""The long thread: a year of a wholesale customer and the people who look after her.

`script.py` explains the marks at the beginning of the lines.
"""

NAME = "Oonagh Feeney · Harbour Lane Stores"
PHONE = "+353209110142"

CHOICES = {
    "hi": ("Morning", "Hi", "Hello", "Hiya", "Afternoon", "Hi all"),
    "hello": ("Morning", "Hi", "Hello"),
    "thanks": ("Thanks", "Grand, thanks", "Thanks a million 🙏", "Brilliant", "Lovely, thanks"),
    "product": ("rain jackets", "wool throws", "pour-over sets", "merino jumpers", "linen shirts",
                "canvas rucksacks", "quilted vests", "oat cardigans"),
    "garment": ("rain jackets", "merino jumpers", "linen shirts", "quilted vests", "wool coats"),
    "zipped": ("rain jackets", "rucksacks", "hoodies"),
    "colour": ("navy", "moss green", "oat", "rust", "charcoal"),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"),
    "street": ("the Galway shop", "the Cork shop", "the Dublin warehouse", "the Sligo shop"),
    "driver": ("Declan", "Marta", "Piotr", "Sean", "Aoife"),
}  # fmt: skip

SCENES = """
== Weekly order
> {hi}, weekly order: {qty} {product} and {qty2} {garment}, please
> all for {street} // half for {street}, the rest here // {colour} if you have it
< {hello} {first}! Noted as {order}. Everything is in stock. // {hello} {first}, that is {order}.
< Total {amount} before VAT, out on {weekday} // {amount} with your discount. Leaves on {weekday}.
> {thanks}
+ 👍

== Repeat of the last order
> Same again as last week, but make the {garment} {qty}
< Will do, {qty} {garment} then. {order}, {amount}.
> 👍 // ok // Perfect // {thanks}

== Stock question
> How many {product} in {colour} could you let me have by {weekday}?
< {qty} today, {qty2} more when the container clears
> I'll take the {qty} now // Keep me {qty2} of the second lot
< Reserved until {weekday}.
+ 🙏

== Delivery today
& Delivery for {order}: {driver} is 4 stops away from {street}.
> Seen him // She's here // Grand, door's open
= Signed for at {street}: 3 boxes, order {order}.
+ 👍

== Delivery late
> No sign of {driver} yet, we close at {time}
< Let me ring the depot
< Stuck behind an accident, will be there by {time}. // The van broke down, another is on its way.
> We'll wait so // Can you do {weekday} instead?
<1 Done // Yes, I've told the depot
> {thanks}

== Monthly invoice
$ [document invoice-{order}.pdf] Statement for the month, {amount} due on {weekday} week
> Got it. Line 4 should be {qty} not {qty2}
<1 You're right, sorry. Corrected below.
< [document invoice-{order}-b.pdf] Corrected statement
> {thanks}, paid this evening // Paid just now

== Payment received
& We received {amount} for {order}. Thank you!
> Good stuff // 👍 // That was quick

== Short delivery
> {hi}, the {order} delivery is {qty2} {product} short
> [image pallet.jpg] This is everything that came
< Counting back from your photo: you're right, {qty2} missing. They are still on our shelf 🙈
# Picking error at bay 3, second this month for this account.
< They go out with {driver} tomorrow, no charge for delivery.
> {thanks}

== Damaged box
> [image box.jpg] One box of {order} got wet
> {qty2} of the {garment} are no good to sell
< Sorry {first}. I'll credit those, {amount}.
< [document credit-{order}.pdf] Credit note
> Fair, {thanks}
+ 👍

== New colours
< [image swatches.jpg] First look at the new colours for the {garment}: {colour} and friends
> Oh the {colour} is lovely 😍 // Not sure about the {colour}, it reads grey here
> When can I order?
< From {weekday}. You get them two weeks before anyone else 😉
> Put me down for {qty}

== Small talk
> What's the weather like over there? Lashing here ☔ // Busy weekend, the whole town was in 🎉
< Same! Good for rain jackets at least 😄 // That's what we like to hear
> Ha // 😂 // True

== Returns
> Have {qty2} unsold {product} from the spring, can they go back?
< Yes until {weekday}. {driver} can take them with the next delivery.
> They'll be by the door
= Collected at {street}: {qty2} items, return {order}.
< Credited {amount}.
> {thanks}

== Voice note
> [voice 41]
<1 All clear: {qty} {product}, {colour}, for {street}. I'll send the confirmation.
< {order}, {amount}
> {thanks}

== Price list
< [document prices.pdf] New price list, valid from {weekday}
> Throws went up 🙄 // Looks fair
< Wool did, I'm afraid. I can hold the old price for {qty} until {weekday}.
> Do that so
+ 😊

== Out of hours
> Sorry for the hour. Can {order} go to {street} instead?
@ No problem: {order} has not left, so I changed it to {street}.
> Handy that. {thanks}

== Window display
> [image window.jpg] The new window at {street}
< Looks fantastic! May we share it?
> Work away
+ ❤️

== Missing size
> Any chance of more of the {garment} in {size}? They go first every time
< {qty2} left in {size}, do you want them all?
> All of them
< Yours. {order}. // Done, added to {order}.

== Rep visit
< Is {weekday} at {time} good for my visit?
> Make it {time} and I'll have the kettle on ☕
<1 Deal
+ 😄

== A question left for later
> Do you still do the {product} in {colour}?
< Let me ask the buyers
# Asked the buyers, they decide on {weekday}.
< They do a last run of {qty}. Interested?
> Go on then, {qty2}

== Customs form
> The form for {order} has the wrong quantity, says {qty}
<1 Well spotted, it is {qty2}. New one coming
< [document customs-{order}.pdf] Please print this one
> Done, {thanks}
"""

OTHERS = """
== Deutsch | shipping
> Guten Tag, liefern Sie auch nach Österreich 🇦🇹? Ich bräuchte Größe {size}.
< Hello {first}, yes we do, in 4 to 6 days. Entschuldigung, mein Deutsch ist schlecht 😅
> Kein Problem! Schöne Grüße aus Köln

== العربية | pick-up
> مرحبا، هل الطلب {order} جاهز؟
< مرحبا {first}، نعم، طلبك جاهز في المتجر.
> شكرا جزيلا 🌹

== 日本語 | shipping
> こんにちは。注文 {order} はいつ届きますか？
< Hello {first}! 三日以内に届きます。Three days at most.
> ありがとうございます 🙇🏻‍♀️

== עברית | exchange, sizes
> שלום, אפשר להחליף את המידה ל-{size2}?
< שלום {first}, כן, אפשר להחליף בחנות.
> תודה רבה ❤️
"""
